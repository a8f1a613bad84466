-- migration 8: devices of any kind: what kinds there are is the program's to say
CREATE TABLE new_devices (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    architecture TEXT NOT NULL,
    memory_bytes INTEGER NOT NULL,
    unit_count INTEGER NOT NULL,
    facts TEXT NOT NULL CHECK (json_valid(facts)),
    first_seen_at TEXT NOT NULL
) STRICT;
INSERT INTO new_devices SELECT * FROM devices;
DROP TABLE devices;
ALTER TABLE new_devices RENAME TO devices;
