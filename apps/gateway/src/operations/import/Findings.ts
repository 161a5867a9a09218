import { formatPath, type Path } from "../../config/text/Problem.ts"

/** Something of the document that the file does not hold, or holds in another form. */
export interface Finding {
  /** In the document, such as `paths["/pets"].get.parameters[0]`. */
  readonly place: string
  readonly reason: string
}

export interface Findings {
  /** An operation that is not carried. */
  readonly skip: (place: Path, reason: string) => void
  /** A part of a carried operation or schema. */
  readonly part: (place: Path, reason: string) => void
  /** An operation that answers without content. */
  readonly empty: () => void
  readonly skipped: ReadonlyArray<Finding>
  readonly parts: ReadonlyArray<Finding>
  readonly emptyAnswers: () => number
}

export const make = (): Findings => {
  const skipped: Array<Finding> = []
  const parts: Array<Finding> = []
  const told = new Set<string>()
  let emptyAnswers = 0
  const add = (list: Array<Finding>) => (path: Path, reason: string) => {
    const place = formatPath(path)
    // A schema that requests and answers share is read twice.
    const key = `${place}\n${reason}`
    if (told.has(key)) return
    told.add(key)
    list.push({ place, reason })
  }
  return {
    skip: add(skipped),
    part: add(parts),
    empty: () => void emptyAnswers++,
    skipped,
    parts,
    emptyAnswers: () => emptyAnswers
  }
}
