/**
 * Whether a call counts among the failed requests: it ended unknown, or was answered with 4xx or 5xx. A settled or released
 * call may also have failed by what its answer says, which only its own row tells.
 */
export const failed =
  "CASE WHEN state = 'unknown' OR status >= 400 THEN 1" +
  " WHEN state IN ('settled', 'released') AND failed <> 0 THEN 1 ELSE 0 END"
