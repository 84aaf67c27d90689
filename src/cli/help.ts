/** The text of `--help`. */
export const HELP = `Turns SQL templates, of a folder or a table, into an HTTP API for PostgreSQL.

Usage: sql-rest-service COMMAND [FLAGS]

Commands:
  serve                    Serve until SIGTERM or SIGINT; SIGHUP reads the configuration again
  check                    Check the configuration, databases, scripts and plugins, and who may run
                           which script; plugins are loaded for that. Proves that PostgreSQL can
                           parse every branch of every script, without running anything
  contract                 Write what every script takes and gives as JSON, for version control
  contract diff OLD [NEW]  Show what changed between two such files, or since OLD, and what breaks
                           callers
  client typescript        Write a client in TypeScript for the scripts of the default database
  migrate up auth          Make the users table, unless it is there
  migrate down auth        Drop the users table; with --yes also when there are users in it
  migrate up queries       Make the scripts table and its history, as far as they are not there
  migrate down queries     Drop them; with --yes also when there are scripts in the table
  migrate from-prest       Convert the configuration and the tables of pREST 2.4.2
  scripts export [FOLDER]  Write the scripts of the table as files; with --yes over others
  scripts import [FOLDER]  Write the scripts of a folder into the table
  scripts diff [FOLDER]    Show what an import would change; exit status 1 when there is something
  plugin new LANGUAGE NAME Write a folder NAME with a plugin in c, cpp, go or rust to begin with
  plugin check FILE        Load a plugin, and list the requests it answers
  plugin header            Print the path of service_plugin.h
  user add NAME            Add a user; the password is asked for, or read from standard input
  user passwd NAME         Give a user another password
  user list                List the users
  user remove NAME         Remove a user

Flags:
  --config FILE            Configuration file; otherwise SERVICE_CONF, otherwise ./service.toml
  --KEY VALUE              Set a configuration key that is not a secret: --http.port 8080
  --against URL            Prove the scripts on this database instead of the default one; also the
                           name of a variable that has the URL
  --out FILE               Write the contract or the client to FILE instead of standard output
  --breaking               Exit status 1 when a change breaks callers
  --json                   Print the outcome of check, contract diff, plugin check, from-prest,
                           scripts import and scripts diff, or the list of users, as JSON
  --name TEXT              Full name of the user that is added
  --metadata JSON          Metadata of the user that is added
  --database ALIAS         Scripts of this database; otherwise those for all databases
  --policy WORD            What an import does with a script that is there with another text: skip,
                           update or error; otherwise queries.import_policy
  --script FOLDER/SCRIPT   This script only; check prints its parameters and columns
  --prove full             Prove every combination of parameters, however many there are
  --no-prove               Do not ask the database about the scripts
  --dry-run                Change nothing, say what would be done
  --yes                    Drop what is in a table with it; write over files that differ
  --from FILE              The prest.toml; otherwise PREST_CONF, otherwise ./prest.toml. For a client
                           an openapi.json of a service, also its URL, or - for standard input
  --tables WORD            adopt (default): use the tables of pREST; copy: copy their rows into new ones
  --help, -h               Print this
  --version, -V            Print the version

Keys can also be set in the environment (SERVICE_HTTP_PORT, DATABASE_URL, PORT);
docs/configuration.md lists them.
Exit status: 0 when all is well, 1 when something is wrong, 2 for a bad command line.
`;
