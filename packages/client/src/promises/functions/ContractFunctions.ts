import type { CallPromise } from "../CallPromise.ts"
import type { PromiseCallOptions } from "../PromiseOptions.ts"
import type { ContractSourceInput, ContractSourceResult } from "../../operations/contractSource.ts"
import type { ContractVersionResult } from "../../operations/contractVersion.ts"
import type { SalesDataResult } from "../../operations/salesData.ts"

/** What the gateway publishes about itself. */
export interface ContractFunctions {
  /**
   * The contract, whole or for one operation.
   *
   * @example
   * const document = await client.contractSource({ hash, bundled: "1" })
   */
  readonly contractSource: (
    input: ContractSourceInput,
    options?: PromiseCallOptions
  ) => CallPromise<ContractSourceResult>

  /**
   * Which contract is served.
   *
   * @example
   * const { contentHash } = await client.contractVersion()
   */
  readonly contractVersion: (input?: void, options?: PromiseCallOptions) => CallPromise<ContractVersionResult>

  /**
   * The last verified snapshot of sales data. `sourceState` reads what its 503 says.
   *
   * @example
   * const sales = await client.salesData()
   */
  readonly salesData: (input?: void, options?: PromiseCallOptions) => CallPromise<SalesDataResult>
}
