import * as Headers from "@tollgate/contract/Headers"
import type { Resuming } from "../call/stream/Resuming.ts"
import type { Resumable, ResumeToken } from "../options/CallOptions.ts"
import { follow, lastEventId } from "./follow.ts"

const callId: Resuming["callId"] = ({ operation }, { headers }) => headers[Headers.resumable.key(operation.names)]

/** Without its key a stream would begin again and be paid again. */
const checked = (stored: ResumeToken): ResumeToken => {
  const { idempotencyKey, operation } = stored
  if (idempotencyKey && operation) return stored
  throw new TypeError("A token needs `operation`, `idempotencyKey` and `input`: store what token() returns")
}

/**
 * Lets a stream go on after its connection broke, without paying again: `chatCompletionsStream(input, { resumable: resumable() })`.
 * Make one for each stream. `resumable(token)`: for one that was begun elsewhere, or before a page was reloaded.
 */
export const resumable = (stored?: ResumeToken | null): Resumable => {
  let token = stored ? checked(stored) : undefined
  const resuming: Resuming = {
    token: () => token,
    begin: ({ input, operation: { id, names }, settings: { extra } }, idempotencyKey) => {
      const last = token?.idempotencyKey === idempotencyKey ? token.lastEventId : undefined
      token = {
        operation: id,
        idempotencyKey,
        ...(last === undefined ? {} : { lastEventId: last }),
        input,
        ...(extra === undefined ? {} : { extra })
      }
      return { [Headers.resumable.key(names)]: "true", ...(last === undefined ? {} : { [lastEventId]: last }) }
    },
    callId,
    follow: (connections) => {
      const { head, invocation, items } = connections
      if (callId(invocation, head) === undefined) return items
      const onId = (id: string) => void (token = token && { ...token, lastEventId: id })
      return follow(connections, () => token?.lastEventId, onId)
    }
  }
  return resuming
}

/** A function that streams, of Effect or of a promise client. */
type StreamFunction = (input: never, options?: never) => unknown

/** What `streaming` and a promise client add to their functions. */
interface Origin {
  readonly source?: Origin
  readonly streamed?: { readonly id: string }
}

const operationOf = (stream: Origin): string | undefined => (stream.source ?? stream).streamed?.id

/**
 * Goes on with a stream after the event of its token: `resumeStream(tollgate.messagesStream, resumable(token))`. It costs nothing
 * more, and a stream that the gateway does not have any more is refused, not begun again. One whose request never arrived is begun.
 */
export const resumeStream = <F extends StreamFunction>(
  stream: F,
  resumable: Resumable,
  options?: Omit<NonNullable<Parameters<F>[1]>, "idempotencyKey" | "extra" | "resumable">
): ReturnType<F> => {
  const token = resumable.token()
  if (token === undefined) throw new TypeError("There is no stream to resume: pass resumable(token)")
  const { extra, idempotencyKey, input, operation } = token
  const called = operationOf(stream as Origin) ?? operation
  if (called !== operation) throw new TypeError(`This token is for a stream of ${operation}, not of ${called}`)
  const own = { ...options, idempotencyKey, resumable, ...(extra === undefined ? {} : { extra }) }
  return stream(input as never, own as never) as ReturnType<F>
}
