import { Link, useParams } from "@tanstack/react-router"
import { callStory } from "@tollgate/client/account"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { useLoad } from "@tollgate/react"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { useMemo, useState } from "react"
import { Button, Card, Copy, Empty, ErrorNotice, Page, Skeleton } from "../../ui/kit.tsx"
import classes from "./call.module.css"
import { CallFacts } from "./CallFacts.tsx"
import { keptWords } from "./kept.ts"
import { StateTag, hasEnded } from "./states.tsx"
import { Timeline, storyOf } from "./story.tsx"
import { WhyFailed } from "./WhyFailed.tsx"

type Found = CallStory | "missing"

const storyFor = (id: string) =>
  Effect.catch(callStory(id), (error) =>
    "status" in error && error.status === 404 ? Effect.succeed<Found>("missing") : Effect.fail(error)
  )

/** A call that is open is asked for again until it ends. An unknown one may still be settled. */
const againAfter = (found: Found | undefined): Duration.Input | undefined => {
  if (found === undefined) return "1 second"
  if (found === "missing") return undefined
  return hasEnded(found) ? (found.state === "unknown" ? "5 seconds" : undefined) : "1 second"
}

const Loaded = ({ call }: { readonly call: CallStory }) => (
  <>
    <WhyFailed call={call} />
    <div className={classes["columns"]}>
      <Card title="What happened">
        <div aria-live="polite">
          <Timeline events={storyOf(call)} />
        </div>
        <p className="soft small">{keptWords(call)}</p>
      </Card>
      <div>
        <CallFacts call={call} />
      </div>
    </div>
  </>
)

const back = <Link to="/calls">All calls</Link>

const Story = ({ id }: { readonly id: string }) => {
  const load = useMemo(() => storyFor(id), [id])
  const [every, setEvery] = useState(againAfter(undefined))
  const { error, refresh, value } = useLoad(load, { every, keep: true })
  const wanted = againAfter(value)
  if (wanted !== every) setEvery(wanted)
  if (value === "missing") {
    return (
      <Page title="Call" back={back}>
        <Card>
          <Empty title="There is no such call">
            <span>
              The log has no calls that the gateway refused before it reserved their price (an invalid request, a cap or
              a balance that is too low, a limit, an account that is not linked), and no free ones.
            </span>
            <span>Otherwise the id is wrong, or the call belongs to another key or account.</span>
            <code className={classes["id"]}>{id}</code>
          </Empty>
        </Card>
      </Page>
    )
  }
  return (
    <Page
      title={value?.operation ?? "Call"}
      lead={
        <span className={classes["id"]}>
          <code>{id}</code>
          <Copy text={id} label="Copy id" />
        </span>
      }
      back={back}
      mark={value === undefined ? null : <StateTag call={value} />}
    >
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <p>
            <Button onClick={refresh}>Try again</Button>
          </p>
        </ErrorNotice>
      )}
      {value !== undefined ? (
        <Loaded call={value} />
      ) : error === undefined ? (
        <div className={classes["columns"]} role="status" aria-label="Loading">
          <Card title="What happened">
            <Skeleton lines={10} />
          </Card>
          <Card title="Amounts">
            <Skeleton lines={8} />
          </Card>
        </div>
      ) : null}
    </Page>
  )
}

export const CallPage = () => {
  const { call } = useParams({ from: "/calls/$call" })
  return <Story key={call} id={call} />
}
