-- migration 18: how far each trial's results are from the expected ones
ALTER TABLE trials ADD COLUMN deviation REAL;
