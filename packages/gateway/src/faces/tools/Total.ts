import { nano, type NanoUsd, zero } from "@tollgate/contract/Money"

/** What several calls may cost together. Each call's cap is taken before it starts. */
export class Total {
  #left: NanoUsd
  #charged: NanoUsd = zero
  #held: NanoUsd = zero

  constructor(most: NanoUsd) {
    this.#left = most
  }

  /** What is known to have been charged. */
  get charged(): NanoUsd {
    return this.#charged
  }

  /** What calls with an open or unknown end may still be charged. */
  get held(): NanoUsd {
    return this.#held
  }

  /** Takes a call's cap. Returns false if not enough is left. */
  take(cap: NanoUsd): boolean {
    if (cap > this.#left) return false
    this.#left = nano(this.#left - cap)
    return true
  }

  /** Gives back what the call was not charged. One whose charge is not known keeps its cap. */
  end(cap: NanoUsd, charged: NanoUsd | undefined): void {
    if (charged === undefined) {
      this.#held = nano(this.#held + cap)
      return
    }
    this.#charged = nano(this.#charged + charged)
    this.#left = nano(this.#left + cap - charged)
  }
}
