import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { traceSettings } from "../../src/settings/traceSettings.ts"

const read = (env: Readonly<Record<string, string>>) =>
  traceSettings("1.2.3").pipe(
    Effect.catch(({ message }) => Effect.succeed(message)),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.runSync
  )

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }

describe("the standard's variables", () => {
  it.each([
    ["nothing is set", {}],
    ["the address is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    ["the exporter is none", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
    ["it is disabled", { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }]
  ])("nothing is traced if %s", (_, env) => {
    expect(read(env)).toBeUndefined()
  })

  it("an address is enough", () => {
    expect(read(endpoint)).toEqual({
      url: "http://localhost:4318/v1/traces",
      headers: {},
      protocol: "http/protobuf",
      resource: { "service.name": "tollgate", "service.version": "1.2.3" },
      sampling: { ratio: 1, followsCallers: true, callersPerSecond: 10 },
      queueSize: 2_048,
      batchSize: 512,
      intervalMillis: 5_000,
      timeoutMillis: 10_000
    })
  })

  it("those for traces win, and their address is used as it is", () => {
    expect(
      read({
        ...endpoint,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in",
        OTEL_EXPORTER_OTLP_HEADERS: "a=1",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer%20x%2Cy, b = 2",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
        OTEL_SERVICE_NAME: "gateway",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=search%20and%20rank"
      })
    ).toMatchObject({
      url: "https://traces.example/in",
      headers: { authorization: "Bearer x,y", b: "2" },
      protocol: "http/json",
      resource: { "service.name": "gateway", team: "search and rank" }
    })
  })

  it.each([
    ["always_off", undefined, { ratio: 0, followsCallers: false }],
    ["traceidratio", "0.25", { ratio: 0.25, followsCallers: false }],
    ["parentbased_traceidratio", "0.01", { ratio: 0.01, followsCallers: true }],
    ["parentbased_always_off", undefined, { ratio: 0, followsCallers: true }]
  ])("the sampler %s with %s is understood", (sampler, argument, sampling) => {
    const env = { ...endpoint, OTEL_TRACES_SAMPLER: sampler, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) }
    expect(read(env)).toMatchObject({ sampling })
  })

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:s3cret@localhost"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization: s3cret"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=s3cret%0d%0ax: y"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=s3cret%zz"],
    ["OTEL_TRACES_EXPORTER", "zipkin"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
    ["OTEL_TRACES_SAMPLER_ARG", "NaN"],
    ["OTEL_BSP_MAX_QUEUE_SIZE", "0"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"],
    ["TOLLGATE_TRACE_CALLERS", "-1"]
  ])("%s=%s is refused by name, and not repeated", (name, value) => {
    const message = read({ ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio", [name]: value })
    expect(message).toMatch(new RegExp(`^${name} must be `))
    expect(message).not.toContain("s3cret")
  })
})
