import { fullTime } from "../../ui/times.ts"
import { Link, useParams } from "@tanstack/react-router"
import { type AccountError, callStory } from "@tollgate/client/account"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { useLoad } from "@tollgate/react/effect"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { Card, Copy, Empty, Loaded, Page, Skeleton, Timeline } from "../../ui/kit.tsx"
import classes from "./calls.module.css"
import { CallFacts, Made } from "./CallFacts.tsx"
import { StateTag, WhyFailed } from "./callParts.tsx"
import { hasEnded, operationName, storyOf } from "./story.ts"

type Found = CallStory | "missing"

const storyFor = (id: string) =>
  Effect.catch(callStory(id), (error: AccountError) =>
    "status" in error && error.status === 404 ? Effect.succeed<Found>("missing") : Effect.fail(error)
  )

/** Of one call: what of it is stored. */
const storedWords = ({ idempotency, operation }: CallStory): string =>
  operation === "responses"
    ? "The response and its input are kept for your next turn, unless the call said store: false. Delete them with DELETE /v1/responses/{id}."
    : idempotency?.answer_stored === true
      ? `We keep no prompts. The answer is cached until ${fullTime(idempotency.until)}, for retries with the same key.`
      : "We keep no prompt and no answer of this call."

const Details = ({ call }: { readonly call: CallStory }) => (
  <>
    <WhyFailed call={call} />
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
)

/** A call that is open is asked for again until it ends. An unknown one may still be settled. */
const againAfter = (found: Found | undefined): Duration.Input | undefined => {
  if (found === undefined) return "1 second"
  if (found === "missing") return undefined
  return hasEnded(found) ? (found.state === "unknown" ? "5 seconds" : undefined) : "1 second"
}

const loading = (
  <div className={classes["columns"]}>
    <Card title="Details">
      <Skeleton lines={10} />
    </Card>
    <Card title="Amounts">
      <Skeleton lines={8} />
    </Card>
  </div>
)

const back = <Link to="/calls">All calls</Link>

const Story = ({ id }: { readonly id: string }) => {
  const load = useMemo(() => storyFor(id), [id])
  const { error, refresh, value } = useLoad(load, { every: againAfter })
  if (value === "missing") {
    return (
      <Page title="Call" back={back}>
        <Empty inCard title="There is no such call">
          <span>Calls that are free are not in the log, and refused ones only for 30 days.</span>
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
    >
      <Loaded of={{ error, refresh, value }} loading={loading}>
        {(call) => <Details call={call} />}
      </Loaded>
    </Page>
  )
}

export const CallPage = () => {
  const { call } = useParams({ from: "/calls/$call" })
  return <Story key={call} id={call} />
}
