/** Statuses of an operation that costs nothing. */
export const free = [400, 401, 404, 429, 500, 503] as const
/** Statuses of an operation that is billed and reaches an upstream. */
export const billed = [400, 401, 402, 404, 409, 422, 429, 500, 502, 503] as const
