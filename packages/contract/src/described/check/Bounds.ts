/** What a check may cost, whatever a document says and a caller sends. */
export const bounds = {
  /** The values of an `enum`. A longer one is not checked. */
  values: 10_000,
  /** The schemas that `allOf`, `anyOf`, `oneOf` and references apply to one value. Beyond it the list is not checked. */
  schemas: 1_000,
  /** The levels of a value. A deeper one is refused. */
  levels: 256,
  /** How deep the schemas that are applied may be in each other. Beyond it a value passes. */
  depth: 1_000,
  /** The schemas that are applied to all parts of a value. Beyond it a value passes. */
  steps: 50_000,
  /** The characters that patterns compare in a value. Beyond it they are not applied. */
  matching: 1_000_000,
  /** The entries of `patternProperties`. Beyond it they are not checked. */
  patterns: 50
}
