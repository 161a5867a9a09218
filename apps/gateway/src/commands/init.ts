import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { writeFile } from "node:fs/promises"
import { decode } from "../config/Config.ts"
import { readNextTo } from "../config/read.ts"
import { codeOf } from "../config/replaceFile.ts"
import { describe } from "../config/text/Problem.ts"
import { baseUrlProblem } from "../config/text/values.ts"
import { includedPrices } from "../package.ts"
import { type Found, found, keyVariable, compatible, providers, servers } from "../init/providers.ts"
import { compatibleServers, configurationText, hasPrices, unpriced } from "../init/write.ts"
import { read } from "../prices/PriceList.ts"
import * as Print from "../terminal/print.ts"
import { typed, fail } from "../terminal/print.ts"
import { optionalText, textFlag } from "./inputs.ts"

const out = Flag.withDefault(
  textFlag("out", "file", "The file to write; an existing file is not overwritten"),
  "tollgate.jsonc"
)

const address = optionalText(
  "compatible",
  "name=address",
  `A server that speaks OpenAI's protocol, or ${Object.keys(servers).join(" or ")} here; its key is in NAME_API_KEY, if it needs one`
)

const named = Effect.fnUntraced(function* (given: string) {
  const written = Object.hasOwn(servers, given) ? `${given}=${servers[given]}` : given
  const [, name = "", baseUrl = ""] = /^([a-z][a-z0-9-]{0,39})=(.+)$/.exec(written) ?? []
  if (name === "")
    return yield* fail("--compatible: write name=address, with a name of lower-case letters, digits and -")
  const problem = baseUrlProblem(baseUrl, { private: true, insecure: false })
  if (problem !== undefined) return yield* fail(`--compatible: ${problem}`)
  return { provider: compatible(name), variable: yield* keyVariable(name), baseUrl } satisfies Found
})

const looked = providers.flatMap(({ variables }) => variables).join(", ")

const none = fail(
  `No key of a provider is set. Set one of ${looked}, or name a server with --compatible name=address. ` +
    "Nothing was written."
)

const write = (path: string, text: string) =>
  Effect.catch(Effect.tryPromise({ try: () => writeFile(path, text, { flag: "wx" }), catch: codeOf }), (code) =>
    fail(
      code === "EEXIST"
        ? `${path} exists, and stays as it is; --out names another file`
        : `cannot write ${path} (${code})`
    )
  )

/** Names that two providers of the file would share. */
const repeated = (all: ReadonlyArray<Found>): string | undefined =>
  all.find(({ provider }, i) => all.findIndex((other) => other.provider.name === provider.name) < i)?.provider.name

const checkAddresses = Effect.fnUntraced(function* (all: ReadonlyArray<Found>) {
  for (const { baseUrl, cloud, provider } of all) {
    const problem = cloud === undefined && baseUrlProblem(baseUrl, { private: true, insecure: false })
    if (problem) return yield* fail(`${provider.addressVariable ?? provider.name}: ${problem}`)
  }
})

export const init = Command.make("init", { out, compatible: address }, ({ compatible, out }) =>
  Effect.gen(function* () {
    const server = Option.isSome(compatible) ? [yield* named(compatible.value)] : []
    const all = [...(yield* found), ...server]
    if (all.length === 0) return yield* none
    const twice = repeated(all)
    if (twice !== undefined) return yield* fail(`--compatible: ${twice} is the name of a provider whose key is set`)
    if (compatibleServers(all).length > 1) {
      return yield* fail(
        "--compatible: OPENAI_BASE_URL names another such server, and only one can serve all other models"
      )
    }
    yield* checkAddresses(all)
    const list = yield* read(includedPrices())
    const text = configurationText(all, list)
    yield* Effect.catch(decode(text, readNextTo(out)), (invalid) => fail(describe(out, invalid)))
    yield* write(out, text)
    yield* Print.line(
      `Wrote ${out}, for ${all.map(({ provider, variable }) => variable ?? provider.name).join(", ")}.\n`
    )
    if (hasPrices(all, list)) {
      yield* Print.line(
        `Its list prices, in USD, are what your callers pay until you change them: check them in ${out}.`
      )
    }
    for (const name of unpriced(all, list))
      yield* Print.line(`Set prices for the models of ${name} in ${out}: they are not offered before.`)
    yield* Print.line(
      `\nThen start:  TOLLGATE_CONFIG=${out} ${typed.program === "tollgate" ? "tollgate start" : typed.program}`
    )
  })
).pipe(
  Command.withDescription("Write a configuration file for the providers whose keys are in the environment"),
  Command.withShortDescription("Write a configuration file for the keys in the environment")
)
