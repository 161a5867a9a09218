import type { OperationFunctions } from "./OperationFunctions.ts"
import type * as operations from "../operations.ts"
import type { PageFunctions } from "./PageFunctions.ts"
import type { Quotes, Resumes } from "./Promises.ts"
import type { VideoFunctions } from "./VideoFunctions.ts"

/**
 * Every function of the client without Effect. A call is a promise, which rejects with the same errors. A stream is read with
 * `for await`, which sends the request at the first step and closes the connection when the loop ends.
 */
export interface PromiseClient extends OperationFunctions, PageFunctions, VideoFunctions {
  /**
   * Asks for the price of a call without making it. Free of charge.
   *
   * @example
   * const { max_micros_usd } = await tollgate.quote.rerank({ query: "longest river", documents: ["The Nile…"] })
   */
  readonly quote: Quotes<typeof operations>

  /**
   * Asks for the outcome of a call that rejected with `OutcomeUnknown` or `CallAborted`. It sends the same input under the same
   * idempotency key, so it is never paid twice.
   *
   * @example
   * const { results } = await tollgate.resume.rerank(error)
   */
  readonly resume: Resumes<typeof operations>

  /**
   * A client whose calls together may spend this many USD. Each billed call is quoted first and rejects with `BudgetExceeded`
   * if it can cost more than is left. It shares this client's connections.
   *
   * @example
   * const careful = tollgate.withBudget("1.00")
   * await careful.rerank({ query: "longest river", documents: ["The Nile…"] })
   */
  readonly withBudget: (usd: string) => PromiseClient

  /**
   * Interrupts calls in flight and closes the connections.
   *
   * @example
   * await tollgate.close()
   */
  readonly close: () => Promise<void>
}
