-- Notifies those who listen, with a text.
NOTIFY changes, '{{defaultOrValue "what" "all"}}'
