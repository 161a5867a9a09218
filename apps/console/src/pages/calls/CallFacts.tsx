import type { Amount } from "@tollgate/contract/account/Amount"
import { evidenceWords } from "@tollgate/contract/price/evidenceWords"
import { Link } from "@tanstack/react-router"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { costWords, gapWords, listWords, operatorWords, storyWords } from "@tollgate/contract/callWords"
import { chargedUsd, count, microsOf, nanoUsd, usdColumn } from "../../ui/amounts.ts"
import { Card, Code, type Fact, Facts } from "../../ui/kit.tsx"
import { fullTime } from "../../ui/times.ts"
import { costMeaning, operationName } from "./story.ts"

const words = { ...listWords, ...storyWords, ...operatorWords }

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

const amountsOf = (call: CallStory): ReadonlyArray<Fact | undefined> => {
  const usd = usdColumn([
    call.reserved_micros_usd,
    call.cap_micros_usd,
    call.value_micros_usd,
    call.charged_micros_usd,
    call.refunded_micros_usd,
    call.loss_micros_usd
  ])
  const both = (text: string, exact: string) => (
    <>
      {text}
      <small>{exact}</small>
    </>
  )
  const micros = (label: string, amount: Amount | null, text = usd(amount ?? 0)): Fact | undefined =>
    amount === null || microsOf(amount) === 0n ? undefined : [label, both(text, `${count(microsOf(amount))} micro-USD`)]
  // With the decimals of the others, if it needs no more.
  const nanos = (label: string, nano: string): Fact | undefined =>
    BigInt(nano) === 0n
      ? undefined
      : [
          label,
          both(
            BigInt(nano) % 1_000n === 0n ? usd(BigInt(nano) / 1_000n) : nanoUsd(nano),
            `${count(BigInt(nano))} nano-USD`
          )
        ]
  return [
    micros(words.reserved_micros_usd, call.reserved_micros_usd),
    micros(words.cap_micros_usd, call.cap_micros_usd),
    micros(words.value_micros_usd, call.value_micros_usd),
    micros(
      words.charged_micros_usd,
      call.charged_micros_usd,
      chargedUsd(call.charged_micros_usd, call.charged_nano_usd, usd)
    ),
    nanos(words.charged_nano_usd, call.charged_nano_usd),
    micros(words.refunded_micros_usd, call.refunded_micros_usd),
    micros(words.loss_micros_usd, call.loss_micros_usd),
    nanos(words.loss_nano_usd, call.loss_nano_usd)
  ]
}

const FactsCard = ({ of, title }: { readonly of: ReadonlyArray<Fact | undefined>; readonly title: string }) =>
  of.every((fact) => fact === undefined) ? null : (
    <Card title={title}>
      <Facts areFigures of={of} />
    </Card>
  )

/** Who made the call, of what. `account`: for the operator. */
export const Made = ({ account, call }: { readonly account?: string; readonly call: CallStory }) => {
  const { key, key_label, model } = call
  const to = account === undefined ? "/calls" : "/operator/calls"
  const search = account === undefined ? {} : { account }
  return (
    <Facts
      of={[
        account === undefined
          ? undefined
          : ["Account", <Link to="/operator/accounts/$account" params={{ account }} children={account} />],
        account === undefined ? undefined : [words.operation, operationName(call)],
        model === null ? undefined : [words.model, <Link to={to} search={{ ...search, model }} children={model} />],
        [words.key, <Link to={to} search={{ ...search, key }} children={key_label || key} />]
      ]}
    />
  )
}

const Evidence = ({ call: { cost_state, evidence, gaps, kept } }: { readonly call: CallStory }) => {
  if (evidence === null || evidence === undefined) return <p className="soft">Nothing was charged.</p>
  const found = parsed(evidence)
  const sentence = wordsOf(found)
  return (
    <>
      {sentence === undefined ? null : <p>{sentence}</p>}
      {cost_state === null ? null : (
        <p className="soft small">
          {costWords[cost_state].label}: {costMeaning({ cost_state, kept })}
        </p>
      )}
      {gaps.length === 0 ? null : <p>{gaps.map(gapWords).join(" ")}</p>}
      <details open={sentence === undefined}>
        <summary className="soft small">As recorded</summary>
        <Code title="As recorded" code={JSON.stringify(found, null, 2)} />
      </details>
    </>
  )
}

/** The fields that a card or the timeline has. */
const placed: ReadonlySet<string> = new Set<keyof OperatorCallStory>([
  ...(["id", "key", "key_label", "operation", "model", "upstream", "tried", "kept", "created_at", "ended_at"] as const),
  ...(["state", "failed", "status", "error", "cost_state", "evidence", "gaps", "tags", "idempotency", "task"] as const),
  ...(["value_micros_usd", "charged_micros_usd", "charged_nano_usd", "reserved_micros_usd", "cap_micros_usd"] as const),
  ...([
    "refunded_micros_usd",
    "refund",
    "loss_micros_usd",
    "loss_nano_usd",
    "account",
    "cost_nano_usd",
    "margin_nano_usd"
  ] as const),
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
  return <FactsCard title="More" of={facts} />
}

export const CallFacts = ({ call }: { readonly call: CallStory }) => (
  <>
    <FactsCard title="Amounts" of={amountsOf(call)} />
    <FactsCard
      title="Tokens"
      of={(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const).map((name) =>
        call[name] === 0 ? undefined : [words[name], count(call[name])]
      )}
    />
    <FactsCard
      title={words.tags}
      of={Object.entries(call.tags).map(([name, value]) => [
        name,
        <Link key={name} to="/calls" search={{ tag: `${name}=${value}` }}>
          {value}
        </Link>
      ])}
    />
    <OtherFacts call={call} />
    <Card title={words.evidence}>
      <Evidence call={call} />
    </Card>
    <Card title={words.idempotency}>
      {call.idempotency === null ? (
        <p className="soft">No idempotency key, or it has expired.</p>
      ) : (
        <Facts
          areFigures
          of={[
            ["Key valid until", fullTime(call.idempotency.until)],
            ["Answer", call.idempotency.answer_stored ? "Cached: a retry gets it at no charge" : "Not cached"]
          ]}
        />
      )}
    </Card>
    {call.task === null ? null : (
      <Card title={words.task} action={<Link to="/tasks">All tasks</Link>}>
        <Facts
          areFigures
          of={[
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
