/**
 * The options of Node for a worker. On a large machine V8 keeps up to 134 MB in each process for new objects. Silent streams fill
 * that, and calls are as fast with less. A size that the operator has chosen stays.
 */
export const nodeOptions = (own: ReadonlyArray<string>, ofEnvironment = ""): Array<string> =>
  [...own, ofEnvironment].some((text) => /--max[-_]semi[-_]space[-_]size/.test(text))
    ? [...own]
    : [...own, "--max-semi-space-size=16"]
