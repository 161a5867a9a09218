// The revisions of MCP.

/** It has no sessions: each message says what a session would know. */
export const stateless = "2026-07-28"
/** It has batches, no structured content and no links, and its clients need not name it in a header. */
export const oldest = "2025-03-26"
/** The latest of those with sessions: a client that asks for an unknown one is offered it. */
const latest = "2025-11-25"

export const revisions: ReadonlyArray<string> = [stateless, latest, "2025-06-18", oldest]

/** The revision of a new session. */
export const agreedOn = (wanted: string): string =>
  wanted !== stateless && revisions.includes(wanted) ? wanted : latest
