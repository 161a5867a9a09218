import { attempt } from "@tollgate/contract/attempt"
import type { Sampling } from "@tollgate/gateway/observe"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isHeaderName } from "../config/text/headers.ts"
import { read, refuseSetting } from "./variables.ts"

export interface TraceSettings {
  readonly url: string
  /** They may hold a credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly resource: Readonly<Record<string, string>>
  readonly sampling: Sampling
  readonly queueSize: number
  readonly batchSize: number
  readonly intervalMillis: number
  readonly timeoutMillis: number
}

const fail = (name: string, expected: string) => refuseSetting(`${name} must be ${expected}`)

/** An empty variable counts as unset, as the standard says. */
const text = (name: string) =>
  Effect.map(Effect.option(Config.String(name)), (found) => Option.getOrUndefined(found)?.trim() || undefined)

/** The variable for traces, or else the one for every signal, with its name. */
const either = Effect.fnUntraced(function* (rest: string) {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${rest}`
  const value = yield* text(own)
  if (value !== undefined) return { name: own, value, isOwn: true }
  const name = `OTEL_EXPORTER_OTLP_${rest}`
  return { name, value: yield* text(name), isOwn: false }
})

const integer = Effect.fnUntraced(function* (name: string, fallback: number, least: number, most: number) {
  const value = yield* text(name)
  if (value === undefined) return fallback
  const number = /^\d{1,9}$/.test(value) ? Number(value) : -1
  return number < least || number > most ? yield* fail(name, `a whole number, ${least} to ${most}`) : number
})

const decoded = (text: string): string | undefined => attempt(() => decodeURIComponent(text))

/** `a=1,b=2`, percent-encoded. An error does not repeat it: it may be a credential. */
const pairs = Effect.fnUntraced(function* (name: string, value: string | undefined, isName: RegExp) {
  const found: Record<string, string> = {}
  for (const part of value?.split(",") ?? []) {
    if (part.trim() === "") continue
    const at = part.indexOf("=")
    const key = at < 1 ? undefined : decoded(part.slice(0, at).trim())
    const text = decoded(part.slice(at + 1).trim())
    if (key === undefined || text === undefined || !isName.test(key) || !/^[\x20-\x7e]*$/.test(text)) {
      return yield* fail(name, "a list such as name=value,other=value, percent-encoded")
    }
    found[key] = text
  }
  return found
})

const attributeName = /^[\x21-\x7e]{1,128}$/

const urlOf = Effect.fnUntraced(function* (name: string, value: string, isOwn: boolean) {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return yield* fail(name, "an address such as http://localhost:4318, without a user; a credential is a header")
  }
  if (!isOwn) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`
  return url.href
})

const shares: Readonly<Record<string, number | "argument">> = {
  always_on: 1,
  always_off: 0,
  traceidratio: "argument"
}

const samplingOf = Effect.fnUntraced(function* () {
  const sampler = (yield* text("OTEL_TRACES_SAMPLER")) ?? "parentbased_always_on"
  const followsCallers = sampler.startsWith("parentbased_")
  const share = shares[followsCallers ? sampler.slice("parentbased_".length) : sampler]
  if (share === undefined) {
    return yield* fail(
      "OTEL_TRACES_SAMPLER",
      "one of always_on, always_off, traceidratio, each with parentbased_ or not"
    )
  }
  const argument = yield* text("OTEL_TRACES_SAMPLER_ARG")
  const ratio = share === "argument" ? Number(argument ?? "1") : share
  if (!(ratio >= 0 && ratio <= 1)) return yield* fail("OTEL_TRACES_SAMPLER_ARG", "a share, 0 to 1")
  return { ratio, followsCallers, callersPerSecond: yield* read("TOLLGATE_TRACE_CALLERS") }
})

/** Read from OpenTelemetry's own variables. `undefined`: nothing is traced. */
export const traceSettings = (version: string) =>
  Effect.gen(function* () {
    const endpoint = yield* either("ENDPOINT")
    const exporter = (yield* text("OTEL_TRACES_EXPORTER")) ?? "otlp"
    const isDisabled = (yield* text("OTEL_SDK_DISABLED"))?.toLowerCase() === "true"
    if (endpoint.value === undefined || exporter === "none" || isDisabled) return undefined
    if (exporter !== "otlp") return yield* fail("OTEL_TRACES_EXPORTER", "otlp or none")
    const protocol = yield* either("PROTOCOL")
    const { value: wanted = "http/protobuf" } = protocol
    if (wanted !== "http/protobuf" && wanted !== "http/json") {
      return yield* fail(protocol.name, "http/protobuf or http/json")
    }
    const headers = yield* either("HEADERS")
    const timeout = yield* either("TIMEOUT")
    const attributes = yield* text("OTEL_RESOURCE_ATTRIBUTES")
    const resource = yield* pairs("OTEL_RESOURCE_ATTRIBUTES", attributes, attributeName)
    const settings: TraceSettings = {
      url: yield* urlOf(endpoint.name, endpoint.value, endpoint.isOwn),
      headers: yield* pairs(headers.name, headers.value, isHeaderName),
      protocol: wanted,
      resource: {
        "service.version": version,
        ...resource,
        "service.name": (yield* text("OTEL_SERVICE_NAME")) ?? resource["service.name"] ?? "tollgate"
      },
      sampling: yield* samplingOf(),
      queueSize: yield* integer("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, 1, 1_000_000),
      batchSize: yield* integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1, 10_000),
      intervalMillis: yield* integer("OTEL_BSP_SCHEDULE_DELAY", 5_000, 10, 600_000),
      timeoutMillis: yield* integer(timeout.name, 10_000, 1, 600_000)
    }
    return settings
  })
