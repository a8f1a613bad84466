-- :environment
SELECT type, gops FROM latest_arithmetic WHERE environment_id = CAST(:environment AS INTEGER)
