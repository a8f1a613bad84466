-- migration 19: the largest size of a domain; 0: no end
ALTER TABLE domains ADD COLUMN most INTEGER NOT NULL DEFAULT 0;
