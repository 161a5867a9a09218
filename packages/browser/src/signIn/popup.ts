import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Attempt, begin, parse, popupPrefix } from "./Attempt.ts"
import { PageUnfit, SignInAbandoned } from "./errors.ts"
import { finishSignIn } from "./finishSignIn.ts"
import type { Options } from "./Options.ts"
import type { Page, Popup } from "./Page.ts"
import type { Server } from "./Server.ts"

const channelName = (state: string) => `tollgate.signIn.${state}`

const pollMillis = 300

const whenClosed = (popup: Popup) =>
  Effect.sync(() => popup.closed).pipe(
    Effect.repeat({ until: (isClosed) => isClosed, schedule: Schedule.spaced(pollMillis) }),
    // Its last message may still be in transit.
    Effect.andThen(Effect.sleep(pollMillis)),
    Effect.andThen(Effect.fail(new SignInAbandoned({ message: "The user closed the window." })))
  )

const receiveAnswer = (page: Page, { state }: Attempt) =>
  Effect.acquireUseRelease(
    Effect.sync(() => page.channel(channelName(state))),
    (channel) =>
      Effect.callback<string>((resume) => {
        channel.onmessage = ({ data }: MessageEvent<unknown>) => {
          if (typeof data === "string") resume(Effect.succeed(data))
        }
      }),
    (channel) => Effect.sync(() => channel.close())
  )

/** Opens the window first: later, the browser would block it as not requested by the user. */
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
      const search = yield* Effect.raceFirst(receiveAnswer(page, attempt), whenClosed(popup))
      return yield* finishSignIn(page, options, attempt, parse(search))
    }),
    (popup) => Effect.sync(() => popup.close())
  )

/** Runs in the popup: sends the answer to the page that opened it. Returns whether the popup could close itself. */
export const sendToOpener = (page: Page, state: string, search: string): boolean => {
  const channel = page.channel(channelName(state))
  channel.postMessage(search)
  channel.close()
  return page.close()
}
