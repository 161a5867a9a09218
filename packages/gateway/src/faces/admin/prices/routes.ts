import type { PricePreviewRequest, prices as routes } from "@tollgate/contract/admin/Prices"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Gateway } from "../../../call/Gateway.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type * as Rows from "@tollgate/ledger/store/rows"
import { recordedGaps } from "@tollgate/ledger/usage/recordedGaps"
import * as Window from "@tollgate/ledger/usage/Window"
import type { Handlers } from "../../ownApi/ApiRouter.ts"
import { gapShape, openGaps } from "./gaps.ts"
import { priceLines } from "./list.ts"
import { preview } from "./preview.ts"
import type { FindPrice } from "./recorded.ts"

/** How the prices of the configuration file are read. */
export interface PriceSection {
  /** The prices of a section `prices`, or what is wrong with it, a line for each problem. */
  readonly read: (section: unknown) => Result.Result<FindPrice, ReadonlyArray<string>>
  /** Whether the section can hold the price of this operation. */
  readonly holds: (operation: string) => boolean
}

const daySeconds = 86_400
const maxMillis = 7 * daySeconds * 1000
const defaultMost = 200_000

const windowOf = ({ end_time, start_time }: PricePreviewRequest, now: number): Result.Result<Window.Window, string> => {
  const end = end_time ?? Math.floor(now / 1000) + 1
  const window = Window.parse({ start_time: start_time ?? end - daySeconds, end_time: end }, now)
  return Result.flatMap(window, (window) =>
    window.end - window.start > maxMillis ? Result.fail("the window is longer than 7 days") : Result.succeed(window)
  )
}

/** A preview reads at most `most` calls, and one runs at a time. */
export const priceHandlers = (
  gateway: () => Gateway,
  section: PriceSection,
  rows: Rows.Rows,
  most = defaultMost
): Handlers<typeof routes> => {
  const turn = Semaphore.makeUnsafe(1)
  return {
    prices: () => Effect.sync(() => ({ prices: priceLines(gateway(), section.holds) })),
    gaps: () =>
      Effect.map(recordedGaps(rows), (recorded) => {
        const { catalogue, prices } = gateway()
        const find: FindPrice = (id, model) => {
          const operation = catalogue.byId.get(id)
          return operation && prices.of(operation, model)
        }
        return { gaps: openGaps(recorded, find).map(gapShape) }
      }),
    previewPrices: Effect.fnUntraced(function* ({ body }) {
      const window = windowOf(body, yield* Clock.currentTimeMillis)
      if (Result.isFailure(window)) return yield* refuse("invalid_request", window.failure)
      const find = section.read(body.prices)
      if (Result.isFailure(find)) return yield* refuse("invalid_request", find.failure.join("\n"), { param: "prices" })
      return yield* turn.withPermits(1)(preview(rows, window.success, find.success, most))
    })
  }
}
