import { fill } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import type { PriceSection } from "@tollgate/gateway/operator"
import * as Result from "effect/Result"
import { type Config, customOperations } from "./Config.ts"
import * as Issues from "./text/issues.ts"
import { pricing } from "./plan.ts"
import { aboutOwn, priceBook, Prices } from "./sections/prices.ts"
import { formatPath } from "./text/Problem.ts"

const maxProblems = 100

/** Reads a section `prices` as if it were in the configuration in force, instead of its own. */
export const priceSection = (inForce: () => Config): PriceSection => ({
  holds: (id) => operations.some((operation) => fill(operation.id, inForce().names) === id),
  read: (section) => {
    const config = inForce()
    const decoded = Issues.decode(Prices(config.names), section, ["prices"])
    if (Result.isFailure(decoded)) {
      const problems = aboutOwn(decoded.failure.slice(0, maxProblems), customOperations(config), config.names)
      return Result.fail(problems.map(({ message, path }) => `${formatPath(path)}: ${message}`))
    }
    const { contract, prices } = pricing({ ...config, prices: priceBook(decoded.success) })
    return Result.succeed({ catalogue: contract, prices })
  }
})
