-- The objectives that there are winners by, to tell what there is when one was asked for that is not.
SELECT DISTINCT objective FROM winners ORDER BY objective <> 'time', objective;
