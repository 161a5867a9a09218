import type { AccountError } from "@tollgate/client/account"
import type { Client } from "@tollgate/client/Client"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { useLoad } from "@tollgate/react/effect"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ReactNode, useMemo } from "react"
import { Card, Copy, Empty, Loaded, Page, Skeleton, Timeline } from "../../ui/kit.tsx"
import { fullTime } from "../../ui/times.ts"
import classes from "./calls.module.css"
import { CallFacts, Made } from "./CallFacts.tsx"
import { StateTag, WhyFailed } from "./callParts.tsx"
import { hasEnded, operationName, storyOf } from "./story.ts"

type Story = CallStory & Partial<OperatorCallStory>
type Found = Story | "missing"

/** Of one call: what of it is stored. */
const storedWords = ({ idempotency, operation }: CallStory): string =>
  operation === "responses"
    ? "The response and its input are kept for the next turn, unless the call said store: false. DELETE /v1/responses/{id} deletes them."
    : idempotency?.answer_stored === true
      ? `We keep no prompts. The answer is cached until ${fullTime(idempotency.until)}, for retries with the same key.`
      : "We keep no prompt and no answer of this call."

/** A call that is open is asked for again until it ends. An unknown one may still be settled. */
const againAfter = (found: Found | undefined): Duration.Input | undefined => {
  if (found === undefined) return "1 second"
  if (found === "missing") return undefined
  return hasEnded(found) ? (found.state === "unknown" ? "5 seconds" : undefined) : "1 second"
}

interface StoryPageProps<C extends Story> {
  readonly id: string
  readonly load: Effect.Effect<C, AccountError, Client>
  readonly back: ReactNode
  readonly actions?: (call: C, refresh: () => void) => ReactNode
}

/** The page of one call: for its caller, or for the operator. */
export const StoryPage = <C extends Story>({ actions, back, id, load }: StoryPageProps<C>) => {
  const found = useMemo(
    () =>
      Effect.catch(load, (error: AccountError) =>
        "status" in error && error.status === 404 ? Effect.succeed("missing" as const) : Effect.fail(error)
      ),
    [load]
  )
  const { error, refresh, value } = useLoad(found, { every: againAfter })
  if (value === "missing") {
    return (
      <Page title="Call" back={back}>
        <Empty inCard title="There is no such call">
          <span>Free calls are not in the log, and refused ones only for 30 days.</span>
          <span>Otherwise the id is wrong, or the call belongs to another key or account.</span>
          <code className={classes["id"]}>{id}</code>
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={value === undefined ? "Call" : operationName(value)}
      lead={
        <span className={classes["id"]}>
          <code>{id}</code>
          <Copy text={id} label="Copy id" />
        </span>
      }
      back={back}
      mark={value === undefined ? null : <StateTag call={value} />}
      actions={value && actions?.(value, refresh)}
    >
      <Loaded of={{ error, refresh, value }} loading={<Skeleton lines={10} />}>
        {(call) => (
          <>
            <WhyFailed call={call} linksTask={call.account === undefined} />
            <div className={classes["columns"]}>
              <Card title="Details">
                <Made call={call} />
                <Timeline events={storyOf(call)} />
                <p className="soft small">{storedWords(call)}</p>
              </Card>
              <div>
                <CallFacts call={call} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}
