import { Link } from "@tanstack/react-router"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { listWords, operatorWords, storyWords } from "@tollgate/contract/callWords"
import type { ReactNode } from "react"
import { chargedUsd, count, microsOf, nanoUsd, usdColumn } from "../../ui/amounts.ts"
import { Card } from "../../ui/Card.tsx"
import { Code } from "../../ui/Code.tsx"
import { fullTime } from "../../ui/times.ts"
import classes from "./call.module.css"
import { costMeaning, costWords } from "./states.ts"

const words = { ...listWords, ...storyWords, ...operatorWords }

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

const evidenceKinds: Readonly<Record<string, (fields: Fields) => string>> = {
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
  return isFields(fields) ? evidenceKinds[String(fields["kind"])]?.(fields) : undefined
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
    [words.reserved_micros_usd, usd(call.reserved_micros_usd), micros(call.reserved_micros_usd)],
    ...(call.cap_micros_usd === null
      ? []
      : [[words.cap_micros_usd, usd(call.cap_micros_usd), micros(call.cap_micros_usd)] as const]),
    [words.value_micros_usd, usd(call.value_micros_usd), micros(call.value_micros_usd)],
    [
      words.charged_micros_usd,
      chargedUsd(call.charged_micros_usd, call.charged_nano_usd, usd),
      micros(call.charged_micros_usd)
    ],
    [words.charged_nano_usd, exact(call.charged_nano_usd), nanos(call.charged_nano_usd)],
    ...(BigInt(call.loss_nano_usd) === 0n
      ? []
      : [
          [words.loss_micros_usd, usd(call.loss_micros_usd), micros(call.loss_micros_usd)] as const,
          [words.loss_nano_usd, exact(call.loss_nano_usd), nanos(call.loss_nano_usd)] as const
        ])
  ]
}

const Evidence = ({ call: { cost_state, evidence, kept } }: { readonly call: CallStory }) => {
  if (evidence === null || evidence === undefined)
    return <p className="soft">The call has no charge, and so no evidence.</p>
  const sentence = evidenceWords(evidence)
  const json = <Code title="As recorded" code={evidenceJson(evidence)} />
  return (
    <>
      {sentence === undefined ? null : <p>{sentence}</p>}
      {cost_state === null ? null : (
        <p className="soft small">
          {costWords[cost_state].label}: {costMeaning({ cost_state, kept })}
        </p>
      )}
      {sentence === undefined ? (
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

/** The fields that a card or the timeline has. */
const placed: ReadonlySet<string> = new Set<keyof OperatorCallStory>([
  ...(["id", "key", "key_label", "operation", "model", "upstream", "tried", "kept", "created_at", "ended_at"] as const),
  ...(["state", "failed", "status", "error", "cost_state", "evidence", "gaps", "tags", "idempotency", "task"] as const),
  ...(["value_micros_usd", "charged_micros_usd", "charged_nano_usd", "reserved_micros_usd", "cap_micros_usd"] as const),
  ...(["loss_micros_usd", "loss_nano_usd", "account", "cost_nano_usd", "margin_nano_usd"] as const),
  ...(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const)
])

/** All other fields, also those that a later version adds. */
export const OtherFacts = ({ call }: { readonly call: CallStory }) => {
  const facts = Object.entries(call).flatMap(([name, value]) =>
    placed.has(name) || value === null
      ? []
      : [
          [
            new Map(Object.entries(words)).get(name) ?? name,
            typeof value === "object" ? JSON.stringify(value) : String(value)
          ] as const
        ]
  )
  return facts.length === 0 ? null : (
    <Card title="More">
      <List facts={facts} />
    </Card>
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
          [words.input_tokens, count(call.input_tokens)],
          [words.output_tokens, count(call.output_tokens)],
          [words.cache_read_tokens, count(call.cache_read_tokens)],
          [words.cache_write_tokens, count(call.cache_write_tokens)]
        ]}
      />
    </Card>
    {Object.keys(call.tags).length === 0 ? null : (
      <Card title={words.tags}>
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
    <OtherFacts call={call} />
    <Card title={words.evidence}>
      <Evidence call={call} />
    </Card>
    {call.gaps.length === 0 ? null : (
      <Card title={words.gaps}>
        <p>Charged at the nearest price: {call.gaps.join(", ")}</p>
      </Card>
    )}
    <Card title={words.idempotency}>
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
      <Card title={words.task} action={<Link to="/tasks">All tasks</Link>}>
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
