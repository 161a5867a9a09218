import { defaults } from "@tollgate/contract/Names"
import { type Provider, providerDefaults } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CommandError, fail } from "../../terminal/print.ts"
import { baseUrlProblem, withoutSlash } from "../../config/text/values.ts"
import * as Upstreams from "../../config/sections/upstreams.ts"
import { upstreamsIn } from "../import/servers.ts"
import { field } from "../import/values.ts"
import { isLoopback, nameOf } from "../import/document.ts"
import { readNextTo } from "../../config/read.ts"
import { collect } from "../../config/text/Problem.ts"

/** Reading a list of tools takes no longer. */
const deadlineMillis = 30_000

const decode = Schema.decodeUnknownEffect(Upstreams.UpstreamsFile(defaults))

/** An upstream that the configuration does not have yet: it has no credential. */
const unnamed = Effect.fnUntraced(function* (name: string, address: string) {
  const isLocal = isLoopback(new URL(address))
  const problem = baseUrlProblem(address, { private: isLocal, insecure: false })
  if (problem !== undefined) return yield* fail(`${nameOf(address)}: ${problem}`)
  const provider: Provider = {
    ...providerDefaults,
    name,
    baseUrl: withoutSlash(address),
    protocol: "mcp",
    headers: {},
    forwardedHeaders: [],
    deadlineMillis,
    idleMillis: deadlineMillis,
    private: isLocal,
    breaker: false
  }
  return provider
})

/** The server to read tools from. The upstream of this name lends its credential only if it is at this address. */
export const mcpUpstream = Effect.fnUntraced(function* (
  config: string | undefined,
  name: string,
  address: string
): Effect.fn.Return<{ readonly provider: Provider; readonly isConfigured: boolean }, CommandError> {
  if (URL.parse(address) === null) return yield* fail(`${JSON.stringify(address.slice(0, 100))} is not an address.`)
  const written = field(upstreamsIn(config), name)
  if (written === undefined) return { provider: yield* unnamed(name, address), isConfigured: false }
  const at = `${config ?? ""}: upstreams.${name}`
  const file = yield* Effect.catch(decode({ [name]: written }), () =>
    fail(`${at} is not complete; run config check first.`)
  )
  const { add, problems } = collect()
  const upstreams = yield* Upstreams.resolve(file, defaults, readNextTo(config ?? ""), add)
  const [problem] = problems
  if (problem !== undefined) return yield* fail(`${at}: ${problem.message}`)
  const provider = upstreams[name]
  if (provider === undefined || provider.protocol !== "mcp") return yield* fail(`${at} does not have the protocol mcp.`)
  if (provider.baseUrl !== withoutSlash(address)) {
    return yield* fail(`${at} is at ${provider.baseUrl}. Its credential is sent to no other address.`)
  }
  return { provider, isConfigured: true }
})
