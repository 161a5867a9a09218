import { evidenceWords } from "@tollgate/contract/price/evidenceWords"
import { Link } from "@tanstack/react-router"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { ReactNode } from "react"
import { chargedUsd, count, microsOf, nanoUsd, usdColumn } from "../../ui/amounts.ts"
import { Card, Code } from "../../ui/kit.tsx"
import { fullTime } from "../../ui/times.ts"
import classes from "./call.module.css"
import { costMeaning, costWords } from "./states.ts"

/** What is recorded, as the ledger has it: text of JSON. */
const parsed = (evidence: unknown): unknown => {
  try {
    return typeof evidence === "string" ? JSON.parse(evidence) : evidence
  } catch {
    return evidence
  }
}

/** `undefined`: it has another form. */
const wordsOf = (evidence: unknown): string | undefined =>
  typeof evidence === "object" && evidence !== null && "kind" in evidence
    ? evidenceWords(evidence as Parameters<typeof evidenceWords>[0])
    : undefined

type Facts = ReadonlyArray<readonly [label: string, value: ReactNode, exact?: string]>

const List = ({ facts }: { readonly facts: Facts }) => (
  <dl className={classes["facts"]}>
    {facts.map(([label, value, exact]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>
          {value}
          {exact === undefined ? null : <small>{exact}</small>}
        </dd>
      </div>
    ))}
  </dl>
)

const micros = (amount: CallStory["charged_micros_usd"]): string => `${count(microsOf(amount))} micro-USD`
const nanos = (amount: string): string => `${count(BigInt(amount))} nano-USD`

const amountsOf = (call: CallStory): Facts => {
  const usd = usdColumn([
    call.reserved_micros_usd,
    call.cap_micros_usd,
    call.value_micros_usd,
    call.charged_micros_usd,
    call.loss_micros_usd
  ])
  // With the decimals of the others, if it needs no more.
  const exact = (nano: string): string => (BigInt(nano) % 1_000n === 0n ? usd(BigInt(nano) / 1_000n) : nanoUsd(nano))
  return [
    ["Reserved", usd(call.reserved_micros_usd), micros(call.reserved_micros_usd)],
    ...(call.cap_micros_usd === null ? [] : [["Cap", usd(call.cap_micros_usd), micros(call.cap_micros_usd)] as const]),
    ["List price", usd(call.value_micros_usd), micros(call.value_micros_usd)],
    ["Charged", chargedUsd(call.charged_micros_usd, call.charged_nano_usd, usd), micros(call.charged_micros_usd)],
    ["Charged, before rounding", exact(call.charged_nano_usd), nanos(call.charged_nano_usd)],
    ...(BigInt(call.loss_nano_usd) === 0n
      ? []
      : [
          ["Beyond the cap", usd(call.loss_micros_usd), micros(call.loss_micros_usd)] as const,
          ["Beyond the cap, before rounding", exact(call.loss_nano_usd), nanos(call.loss_nano_usd)] as const
        ])
  ]
}

const Evidence = ({ call: { cost_state, evidence, gaps, kept } }: { readonly call: CallStory }) => {
  if (evidence === null || evidence === undefined) return <p className="soft">Nothing was charged.</p>
  const found = parsed(evidence)
  const words = wordsOf(found)
  return (
    <>
      {words === undefined ? null : <p>{words}</p>}
      {cost_state === null ? null : (
        <p className="soft small">
          {costWords[cost_state].label}: {costMeaning({ cost_state, kept })}
        </p>
      )}
      {gaps.length === 0 ? null : (
        <p>
          {gaps.join(", ")}: used without a price of {gaps.length === 1 ? "its" : "their"} own, so the nearest price was
          used.
        </p>
      )}
      <details open={words === undefined}>
        <summary className="soft small">As recorded</summary>
        <Code title="As recorded" code={JSON.stringify(found, null, 2)} />
      </details>
    </>
  )
}

/** Exact figures of a call. */
export const CallFacts = ({ call }: { readonly call: CallStory }) => (
  <>
    <Card title="Amounts">
      <List facts={amountsOf(call)} />
    </Card>
    <Card title="Tokens">
      <List
        facts={[
          ["In", count(call.input_tokens)],
          ["Out", count(call.output_tokens)],
          ["Read from a cache", count(call.cache_read_tokens)],
          ["Written to a cache", count(call.cache_write_tokens)]
        ]}
      />
    </Card>
    {Object.keys(call.tags).length === 0 ? null : (
      <Card title="Tags">
        <List
          facts={Object.entries(call.tags).map(([name, value]) => [
            name,
            <Link key={name} to="/calls" search={{ tag: `${name}=${value}` }}>
              {value}
            </Link>
          ])}
        />
      </Card>
    )}
    <Card title="How this was priced">
      <Evidence call={call} />
    </Card>
    <Card title="Idempotency">
      {call.idempotency === null ? (
        <p className="soft">The call had no idempotency key, or it is forgotten by now.</p>
      ) : (
        <List
          facts={[
            ["Key kept until", fullTime(call.idempotency.until)],
            ["Answer", call.idempotency.answer_stored ? "Stored: a repetition gets it at no charge" : "Not stored"]
          ]}
        />
      )}
    </Card>
    {call.task === null ? null : (
      <Card title="Task" action={<Link to="/tasks">All tasks</Link>}>
        <List
          facts={[
            [
              "Id",
              <Link key="id" to="/tasks" search={{ task: call.task.id }}>
                <code>{call.task.id}</code>
              </Link>
            ],
            ["Status", call.task.status]
          ]}
        />
      </Card>
    )}
  </>
)
