import { isTagName, isTagValue } from "@tollgate/contract/Tags"

/** A tag that is asked for: `team=search`, or `team` with any value. */
export interface TagQuery {
  readonly name: string
  readonly value: string | undefined
}

/** `undefined` if the text is no tag. */
export const parseTag = (text: string): TagQuery | undefined => {
  const at = text.indexOf("=")
  const name = at === -1 ? text : text.slice(0, at)
  const value = at === -1 ? undefined : text.slice(at + 1)
  return isTagName(name) && (value === undefined || isTagValue(value)) ? { name, value } : undefined
}
