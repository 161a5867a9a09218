import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Attempt, begin, popupPrefix } from "./Attempt.ts"
import { PageUnfit, SignInAbandoned } from "./errors.ts"
import { finish } from "./finish.ts"
import type { Options } from "./Options.ts"
import type { Page, Popup } from "./Page.ts"
import { parse } from "./returned.ts"
import type { Server } from "./Server.ts"

const place = (state: string) => `tollgate.signIn.${state}`

const lookMillis = 300

const closed = (popup: Popup) =>
  Effect.sync(() => popup.closed).pipe(
    Effect.repeat({ until: (isClosed) => isClosed, schedule: Schedule.spaced(lookMillis) }),
    // What it said last may still be on its way.
    Effect.andThen(Effect.sleep(lookMillis)),
    Effect.andThen(Effect.fail(new SignInAbandoned({ message: "The user closed the window." })))
  )

const answerTo = (page: Page, { state }: Attempt) =>
  Effect.acquireUseRelease(
    Effect.sync(() => page.channel(place(state))),
    (channel) =>
      Effect.callback<string>((resume) => {
        channel.onmessage = ({ data }: MessageEvent<unknown>) => {
          if (typeof data === "string") resume(Effect.succeed(data))
        }
      }),
    (channel) => Effect.sync(() => channel.close())
  )

/** The window is opened before anything else is done: later, the browser takes it for one that nobody asked for. */
export const byPopup = <E>(page: Page, options: Options, server: Effect.Effect<Server, E>) =>
  Effect.acquireUseRelease(
    Effect.suspend(() => {
      const popup = page.popup()
      return popup === null
        ? Effect.fail(new PageUnfit({ why: "popup", message: "The browser does not let this page open a window." }))
        : Effect.succeed(popup)
    }),
    Effect.fnUntraced(function* (popup) {
      const { attempt, url } = yield* begin(page, options, yield* server, popupPrefix)
      popup.location.href = url
      const search = yield* Effect.raceFirst(answerTo(page, attempt), closed(popup))
      return yield* finish(page, options, attempt, parse(search))
    }),
    (popup) => Effect.sync(() => popup.close())
  )

/** In the window: hands what came to the page that waits for it. Whether the window is gone with that. */
export const handOver = (page: Page, state: string, search: string): boolean => {
  const channel = page.channel(place(state))
  channel.postMessage(search)
  channel.close()
  return page.close()
}
