import { Link } from "@tanstack/react-router"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { ReactNode } from "react"
import { chargedUsd, count, microsOf, nanoUsd, usdColumn } from "../../ui/amounts.ts"
import { Card, Code } from "../../ui/kit.tsx"
import { fullTime } from "../../ui/times.ts"
import classes from "./call.module.css"
import { costMeaning, costWords } from "./states.tsx"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const number = (value: unknown): string => (typeof value === "number" ? count(value) : "?")

const source = ({ isEstimate }: Fields): string =>
  isEstimate === true ? "counted from the text, because the upstream did not report it" : "as the upstream reported"

const usageWords = (usage: unknown): string =>
  isFields(usage)
    ? `${number(usage["input"])} tokens in and ${number(usage["output"])} out, ` +
      `${number(usage["cacheRead"])} read from a cache and ${number(usage["cacheWrite"])} written to one`
    : "no tokens"

const words: Readonly<Record<string, (fields: Fields) => string>> = {
  request: () => "One request that was answered as the operation says.",
  tokens: (fields) => `${number(fields["total"])} tokens, ${source(fields)}.`,
  model: (fields) => `Model ${String(fields["model"])}: ${usageWords(fields["usage"])}, ${source(fields)}.`,
  items: (fields) => `${number(fields["count"])} items in the answer.`,
  code: (fields) => `The code ${number(fields["value"])} in the answer.`,
  task: (fields) => `The task ended as ${String(fields["status"])}.`,
  kept: (fields) =>
    `The kept answer of the call ${String(fields["call"])}, ${number(fields["age"])} seconds old, ` +
    `for ${Number(fields["share"]) / 10_000} % of its price. Nothing was executed.`
}

const parsed = (evidence: unknown): unknown => {
  if (typeof evidence !== "string") return evidence
  try {
    return JSON.parse(evidence)
  } catch {
    return evidence
  }
}

/** What a charge is based on, in a sentence. `undefined`: it has another form. */
const evidenceWords = (evidence: unknown): string | undefined => {
  const fields = parsed(evidence)
  return isFields(fields) ? words[String(fields["kind"])]?.(fields) : undefined
}

/** The same as it is recorded. */
const evidenceJson = (evidence: unknown): string => JSON.stringify(parsed(evidence), null, 2)

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

const Evidence = ({ call: { cost_state, evidence, kept } }: { readonly call: CallStory }) => {
  if (evidence === null || evidence === undefined)
    return <p className="soft">The call has no charge, and so no evidence.</p>
  const words = evidenceWords(evidence)
  const json = <Code title="As recorded" code={evidenceJson(evidence)} />
  return (
    <>
      {words === undefined ? null : <p>{words}</p>}
      {cost_state === null ? null : (
        <p className="soft small">
          {costWords[cost_state].label}: {costMeaning({ cost_state, kept })}
        </p>
      )}
      {words === undefined ? (
        json
      ) : (
        <details>
          <summary className="soft small">As recorded</summary>
          {json}
        </details>
      )}
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
    <Card title="What the charge is based on">
      <Evidence call={call} />
    </Card>
    {call.gaps.length === 0 ? null : (
      <Card title="Used without a price">
        <p>Charged at the nearest price: {call.gaps.join(", ")}</p>
      </Card>
    )}
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
