export const maxQueryLength = 500

interface Searched {
  readonly query: string
  readonly hasWords: boolean
  readonly category: string | undefined
  readonly hasCategory: boolean
  /** Of the categories in which the caller may use something. */
  readonly names: () => ReadonlyArray<string>
  readonly isFound: boolean
  /** Words of the query that no operation has. */
  readonly unknown: ReadonlyArray<string>
  /** What was found and may not be used. */
  readonly notAllowed: string | undefined
  readonly howToChange: string | undefined
}

export const countNotAllowed = (count: number): string | undefined =>
  count === 0 ? undefined : `${count} ${count === 1 ? "operation" : "operations"} of this category`

/** How many words a note names. */
const mostUnknown = 5

const aboutQuery = ({
  category,
  hasCategory,
  hasWords,
  isFound,
  names,
  query,
  unknown
}: Searched): string | undefined => {
  const listed = () => names().join(", ")
  if (!hasCategory) return `There is no category of this name. The categories are: ${listed()}.`
  if (!hasWords) {
    return category === undefined
      ? `The query has no words to search for. Say in a few words what you need, or name a category: ${listed()}.`
      : "The query has no words to search for, so these are the operations of the category."
  }
  if (!isFound) return `No operation has these words. Try others, in English, or name a category: ${listed()}.`
  if (query.length > maxQueryLength) return `Only the first ${maxQueryLength} characters were used.`
  if (unknown.length === 0) return undefined
  const words = unknown.slice(0, mostUnknown).map((word) => `"${word}"`)
  return `No operation mentions ${words.join(", ")}. If none of these fits, say it in other words.`
}

/** Why a search found nothing, what of the query was not used, and what the caller may not use. */
export const searchNote = (searched: Searched): string | undefined => {
  const about = aboutQuery(searched)
  const { howToChange, notAllowed } = searched
  if (notAllowed === undefined) return about
  const refused = `Not allowed by this grant: ${notAllowed}.${howToChange === undefined ? "" : ` ${howToChange}`}`
  return about === undefined ? refused : `${about} ${refused}`
}
