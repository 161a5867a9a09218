import type * as Redacted from "effect/Redacted"

/** Two credentials of one upstream, while one replaces the other. */
export class Rotation {
  readonly all: readonly [Redacted.Redacted, Redacted.Redacted]
  #current: Redacted.Redacted

  constructor(first: Redacted.Redacted, second: Redacted.Redacted) {
    this.all = [first, second]
    this.#current = first
  }

  get current(): Redacted.Redacted {
    return this.#current
  }

  /** The upstream refused this one. Returns whether that changes the current one. */
  refused(used: Redacted.Redacted): boolean {
    if (used !== this.#current) return false
    const [first, second] = this.all
    this.#current = used === first ? second : first
    return true
  }
}

/** A credential that is the first or the second of a rotation. */
export const rotating = (header: string, rotation: Rotation) => ({
  header,
  rotation,
  get value() {
    return rotation.current
  }
})
