import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string | number }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

interface Wire {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Value }> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<WireSpan> }>
  }>
}

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Value }>
  readonly events: ReadonlyArray<{ readonly name: string; readonly timeUnixNano: string }>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly status: { readonly code: number; readonly message?: string }
}

export interface CollectedSpan extends Omit<WireSpan, "attributes" | "kind"> {
  readonly kind: string
  readonly attributes: Readonly<Record<string, string | bigint | number | boolean>>
}

const kinds = ["unspecified", "internal", "server", "client"]

const valueOf = (value: Value) =>
  "intValue" in value ? BigInt(value.intValue) : (Object.values(value)[0] as string | number | boolean)

const attributesOf = (attributes: WireSpan["attributes"]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

/** A collector refuses what is not OTLP, and so does this one. */
const read = (span: WireSpan): CollectedSpan => {
  const start = BigInt(span.startTimeUnixNano)
  if (!/^[0-9a-f]{32}$/.test(span.traceId) || !/^[0-9a-f]{16}$/.test(span.spanId)) throw new Error("bad id")
  if (start < 1_600_000_000_000_000_000n || BigInt(span.endTimeUnixNano) < start) throw new Error("bad time")
  return { ...span, kind: kinds[span.kind] ?? "?", attributes: attributesOf(span.attributes) }
}

/** A collector of OTLP over HTTP that keeps what it gets. */
export const collector = async () => {
  const spans: Array<CollectedSpan> = []
  const requests: Array<{ readonly path: string; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> = []
  const resources: Array<Readonly<Record<string, unknown>>> = []
  const server = createServer((req, res) => {
    const chunks: Array<Buffer> = []
    req.on("data", (chunk: Buffer) => chunks.push(chunk))
    req.on("end", () => {
      const bytes = Buffer.concat(chunks)
      requests.push({ path: req.url ?? "", headers: req.headers, bytes })
      if (req.headers["content-type"] === "application/json") {
        const { resourceSpans } = JSON.parse(bytes.toString()) as Wire
        for (const { resource, scopeSpans } of resourceSpans) {
          resources.push(attributesOf(resource.attributes))
          for (const scope of scopeSpans) spans.push(...scope.spans.map(read))
        }
      }
      res.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const waitFor = async (isWanted: (span: CollectedSpan) => boolean): Promise<CollectedSpan> => {
    for (;;) {
      const found = spans.find(isWanted)
      if (found !== undefined) return found
      await new Promise((later) => setTimeout(later, 5))
    }
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    resources,
    /** Waits for a span. */
    waitFor,
    /** The spans of a trace, once that of the request is there. */
    traceOf: async (requestId: string) => {
      const { traceId } = await waitFor(({ attributes }) => attributes["tollgate.request.id"] === requestId)
      return spans.filter((span) => span.traceId === traceId)
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
