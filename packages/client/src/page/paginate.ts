import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** There is said to be more and no way to it: the cursor is empty, or led here before. What came until then is good. */
export class PagingStuck extends Schema.TaggedError<PagingStuck>()("PagingStuck", {
  message: Schema.String,
  cursor: Schema.String,
  /** How many were read. */
  pages: Schema.Int
}) {}

const stuck = (cursor: string, pages: number) =>
  new PagingStuck({
    message: cursor === "" ? "There are more pages, but no cursor leads to them" : "The cursor leads back",
    cursor,
    pages
  })

export interface Paging<Page, Item> {
  /** The cursor of the page after this one; `undefined` on the last. */
  readonly next: (page: Page) => string | undefined
  readonly items: (page: Page) => ReadonlyArray<Item>
}

/** The items of a list. A page is asked for when it is needed: whoever takes no more pays for no more. */
export const paginate = <Page, Item, E, R>(
  call: (cursor: string | undefined) => Effect.Effect<Page, E, R>,
  { items, next }: Paging<Page, Item>
): Stream.Stream<Item, E | PagingStuck, R> =>
  Stream.suspend(() => {
    const seen = new Set<string>([""])
    let pages = 0
    return Stream.paginate(
      undefined as string | undefined,
      Effect.fnUntraced(function* (cursor: string | undefined) {
        // Only here, so that the page which names a bad cursor is not lost with it.
        if (cursor !== undefined && seen.has(cursor)) return yield* stuck(cursor, pages)
        if (cursor !== undefined) seen.add(cursor)
        const page = yield* call(cursor)
        pages++
        return [items(page), Option.fromUndefinedOr(next(page))] as const
      })
    )
  })
