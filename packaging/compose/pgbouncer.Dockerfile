# PgBouncer of Debian. The password comes from the environment, so that no file of the image holds it.
FROM debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends pgbouncer \
 && rm -rf /var/lib/apt/lists/*
COPY pgbouncer.ini /etc/pgbouncer/pgbouncer.ini
USER postgres
EXPOSE 6432
# It closes when its clients have gone, or at once at a second signal.
STOPSIGNAL SIGTERM
# In userlist.txt a quote is written twice.
CMD ["sh", "-c", "umask 077 && printf '\"app\" \"%s\"\\n' \"$(printf %s \"$POSTGRES_PASSWORD\" | sed 's/\"/\"\"/g')\" >/tmp/userlist.txt && exec pgbouncer /etc/pgbouncer/pgbouncer.ini"]
