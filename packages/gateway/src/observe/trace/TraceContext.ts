/** A place in a trace, as the W3C headers `traceparent` and `tracestate` carry it. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string
  readonly sampled: boolean
  /** Vendors' own data, which is passed on and not read. */
  readonly state?: string | undefined
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x20-\x7e]*)?$/
const zeroTrace = "0".repeat(32)
const zeroSpan = "0".repeat(16)

/** A later version may add fields. */
const longestParent = 256
const longestState = 512
const mostMembers = 32

const member =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** `undefined` unless every member is valid. */
const parseState = (text: string | undefined): string | undefined => {
  if (text === undefined || text.length > longestState) return undefined
  const members = text.split(",").map((one) => one.replaceAll(/^[ \t]+|[ \t]+$/g, ""))
  const filled = members.filter((one) => one !== "")
  if (filled.length === 0 || members.length > mostMembers || !filled.every((one) => member.test(one))) return undefined
  const names = new Set(filled.map((one) => one.slice(0, one.indexOf("="))))
  return names.size === filled.length ? filled.join(",") : undefined
}

/** Reads the headers of a caller. What is malformed is ignored, as the standard says: the trace then begins here. */
export const parse = (parent: string | undefined, state?: string): TraceContext | undefined => {
  if (parent === undefined || parent.length > longestParent) return undefined
  const match = shape.exec(parent)
  if (match === null) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = match
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (traceId === zeroTrace || spanId === zeroSpan) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, state: parseState(state) }
}

/** The value of `traceparent`. */
export const format = ({ sampled, spanId, traceId }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

export const encodeInto = (headers: Record<string, string>, context: TraceContext): void => {
  headers["traceparent"] = format(context)
  if (context.state !== undefined) headers["tracestate"] = context.state
}
