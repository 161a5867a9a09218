/** What the suite reports of one revision. */
export interface Report {
  /** How many required scenarios there are. */
  readonly required: number
  /** The required scenarios that failed. */
  readonly failed: ReadonlyArray<string>
  /** Those that the revision does not require, and that failed. */
  readonly optional: ReadonlyArray<string>
}

const summaryLine = /^([✓✗]) ([\w/-]+): \d+ passed, \d+ failed$/
const notScoredLine = /^ {2}[✓✗] ([\w/-]+) \([\w-]+\)$/

/** Reads the summary at the end of the suite's output. */
export const reportIn = (output: string): Report => {
  const lines = output.slice(output.lastIndexOf("=== SUMMARY ===")).split("\n")
  const notScored = new Set(lines.flatMap((line) => notScoredLine.exec(line)?.[1] ?? []))
  const results = lines.flatMap((line) => {
    const [, mark, name = ""] = summaryLine.exec(line) ?? []
    return mark === undefined ? [] : [{ name, passed: mark === "✓" }]
  })
  const required = results.filter(({ name }) => !notScored.has(name))
  const failedOf = (some: typeof results) => some.filter(({ passed }) => !passed).map(({ name }) => name)
  return {
    required: required.length,
    failed: failedOf(required),
    optional: failedOf(results.filter(({ name }) => notScored.has(name)))
  }
}
