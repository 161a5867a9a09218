/**
 * In Cloudflare Workers a request must not resume a call of another one, and an aborted request just stops, without cleaning
 * up. There each waiting call looks for its turn itself, and what it holds expires.
 */
export const isPolled = "WebSocketPair" in globalThis

export const firstLookMillis = 10
export const longestLookMillis = 250

/** A waiting call that has not looked for this long belongs to a request that stopped. */
export const goneMillis = 2_000

/** A slot is assumed free after this time, because its request may have stopped. */
export const heldMillis = 30_000
