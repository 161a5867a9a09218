/** A browser takes the body for what its type says, and nothing else. On every answer. */
export const nosniff = { "x-content-type-options": "nosniff" } as const

/** Asks proxies not to buffer events. */
export const unbuffered = { "cache-control": "no-cache", "x-accel-buffering": "no" } as const

/** What an upstream answers cannot run scripts, or reach anything, as this gateway's origin. */
export const sandboxed = "sandbox; default-src 'none'"

// Compared as a whole: browsers read "application/json, text/html" as HTML.
const inert = new Set([
  "application/json",
  "application/json; charset=utf-8",
  "text/event-stream",
  "text/event-stream; charset=utf-8"
])

/** Whether a browser that opens the body only shows its text. */
export const isInert = (contentType: string | undefined): boolean => contentType !== undefined && inert.has(contentType)
