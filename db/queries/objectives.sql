-- The objectives that have winners, for the message about a missing one.
SELECT DISTINCT objective FROM winners ORDER BY objective <> 'time', objective;
