import type { Tags } from "@tollgate/contract/Tags"

/**
 * How a call's tags are stored: an object of names and values, as JSON. A value in an array is not counted under its own name,
 * because there are too many: `[value]` counts among the others of its tag, `[value, 0]` not at all.
 */
type RecordedTags = Readonly<Record<string, string | readonly [string] | readonly [string, 0]>>

/** The value under which the others of a tag are counted. No tag has it, since a value is not empty. */
export const otherValues = ""

// The ledger wrote it.
const parse = (text: string): RecordedTags => JSON.parse(text) as RecordedTags

export const encodeTags = (tags: RecordedTags): string => JSON.stringify(tags)

/** The tags as the caller sent them. */
export const sentTags = (text: string): Tags =>
  Object.fromEntries(
    Object.entries(parse(text)).map(([name, value]) => [name, typeof value === "string" ? value : value[0]])
  )

/** The tags that the call is counted under. */
export const countedTags = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(parse(text)).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
    typeof value === "string" ? [[name, value]] : value.length === 1 ? [[name, otherValues]] : []
  )
