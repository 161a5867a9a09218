import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** There are more pages but the cursor is empty or repeats. The items before this error are valid. */
export class PagingStuck extends TaggedError("PagingStuck")<{
  readonly message: string
  readonly cursor: string
  /** Pages read so far. */
  readonly pages: number
}> {}

const stuck = (cursor: string, pages: number) =>
  new PagingStuck({
    message: cursor === "" ? "There are more pages, but the answer has no cursor" : "The cursor repeats an earlier one",
    cursor,
    pages
  })

export interface Paging<Page, Item> {
  /** The cursor of the page after this one; `undefined` on the last. */
  readonly next: (page: Page) => string | undefined
  readonly items: (page: Page) => ReadonlyArray<Item>
}

/** The items of a list. Each page is requested, and paid for, only when its items are taken. */
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
        // Checked here, so that the items of the page with the bad cursor are still emitted.
        if (cursor !== undefined && seen.has(cursor)) return yield* stuck(cursor, pages)
        if (cursor !== undefined) seen.add(cursor)
        const page = yield* call(cursor)
        pages++
        return [items(page), Option.fromUndefinedOr(next(page))] as const
      })
    )
  })
