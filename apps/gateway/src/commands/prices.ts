import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readPrices } from "../config/read.ts"
import { includedPrices } from "../package.ts"
import { difference, read } from "../prices/PriceList.ts"
import * as Print from "../terminal/print.ts"
import { json, config, configFile, optionalArgument } from "./inputs.ts"

const list = optionalArgument("file", "A price list; default: the one of this version")

const shown = (value: unknown): string => {
  if (value === undefined) return "-"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const diff = Command.make("diff", { list, config, json }, ({ config, json, list }) =>
  Effect.gen(function* () {
    const prices = yield* readPrices(yield* configFile(config))
    const newer = yield* read(Option.getOrElse(list, includedPrices))
    const changes = difference(prices, newer)
    if (json) return yield* Print.json(changes)
    yield* Print.table(
      changes,
      {
        name: ({ name }) => name,
        field: ({ field }) => field ?? "not in the configuration",
        now: ({ now }) => shown(now),
        list: ({ listed }) => shown(listed),
        "read on": ({ day }) => day,
        source: ({ source }) => source
      },
      `The list of ${newer.day} changes nothing.`
    )
  })
).pipe(Command.withDescription("Show what a price list would change in the configuration; nothing is written"))

export const prices = Command.make("prices").pipe(
  Command.withDescription("Compare the prices of models with those of their providers"),
  Command.withSubcommands([diff])
)
