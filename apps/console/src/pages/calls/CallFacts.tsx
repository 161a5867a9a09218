import { evidenceWords } from "@tollgate/contract/price/evidenceWords"
import { Link } from "@tanstack/react-router"
import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { costWords, gapWords, listWords, operatorWords, storyWords } from "@tollgate/contract/callWords"
import { chargedUsd, count, microsOf, nanoUsd, usdColumn } from "../../ui/amounts.ts"
import { Card, Code, type Fact, Facts } from "../../ui/kit.tsx"
import { fullTime } from "../../ui/times.ts"
import { costMeaning } from "./story.ts"

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

type Story = CallStory & Partial<OperatorCallStory>

/** The amounts that are not nothing. Those before rounding only if they have more decimals, and costs only for operators. */
const amountsOf = (call: Story): ReadonlyArray<Fact> => {
  const shown = (["reserved", "cap", "value", "charged", "refunded", "loss"] as const).flatMap((name) => {
    const amount = call[`${name}_micros_usd`]
    const nano = name === "charged" || name === "loss" ? BigInt(call[`${name}_nano_usd`]) : 0n
    return amount === null || (microsOf(amount) === 0n && nano === 0n) ? [] : [{ name, amount, nano }]
  })
  const write = usdColumn(shown.map(({ amount }) => amount))
  const { cost_nano_usd: cost, margin_nano_usd: margin, state } = call
  return [
    ...shown.flatMap(({ amount, name, nano }): ReadonlyArray<Fact> => [
      [words[`${name}_micros_usd`], chargedUsd(amount, String(nano), write)],
      ...(nano % 1_000n === 0n ? [] : [[`${words[`${name}_micros_usd`]}, before rounding`, nanoUsd(nano)] as const])
    ]),
    ...(cost === undefined || state !== "settled"
      ? []
      : cost === null || margin == null
        ? [["Upstream cost", "Not known"] as const]
        : [["Upstream cost", nanoUsd(cost)] as const, [words.margin_nano_usd, nanoUsd(margin)] as const])
  ]
}

const FactsCard = ({ of, title }: { readonly of: ReadonlyArray<Fact>; readonly title: string }) =>
  of.length === 0 ? null : (
    <Card title={title}>
      <Facts areFigures of={of} />
    </Card>
  )

/** Where calls of the same kind are listed: the caller's, or of the account for the operator. */
const listOf = (account: string | undefined) =>
  account === undefined ? ({ to: "/calls" } as const) : ({ to: "/operator/calls", search: { account } } as const)

/** Who made the call, of what. */
export const Made = ({ call: { account, key, key_label, model } }: { readonly call: Story }) => {
  const { search, to } = { search: {}, ...listOf(account) }
  return (
    <Facts
      of={[
        account === undefined
          ? undefined
          : [words.account, <Link to="/operator/accounts/$account" params={{ account }} children={account} />],
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
const placed: ReadonlySet<string> = new Set<string>([...Object.keys(words), "refund"])

/** All other fields, which a later version adds. */
const otherFacts = (call: Story): ReadonlyArray<Fact> =>
  Object.entries(call).flatMap(([name, value]) =>
    placed.has(name) || value === null ? [] : [[name, typeof value === "object" ? JSON.stringify(value) : `${value}`]]
  )

export const CallFacts = ({ call }: { readonly call: Story }) => {
  const { search, to } = { search: {}, ...listOf(call.account) }
  return (
    <>
      <FactsCard title="Amounts" of={amountsOf(call)} />
      <FactsCard
        title="Tokens"
        of={(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const).flatMap((name) =>
          call[name] === 0 ? [] : [[words[name], count(call[name])]]
        )}
      />
      <FactsCard
        title={words.tags}
        of={Object.entries(call.tags).map(([name, value]) => [
          name,
          <Link to={to} search={{ ...search, tag: `${name}=${value}` }} children={value} />
        ])}
      />
      <FactsCard title="More" of={otherFacts(call)} />
      <Card title={words.evidence}>
        <Evidence call={call} />
      </Card>
      {call.idempotency === null ? null : (
        <FactsCard
          title={words.idempotency}
          of={[
            ["Key valid until", fullTime(call.idempotency.until)],
            ["Answer", call.idempotency.answer_stored ? "Cached: a retry gets it at no charge" : "Not cached"]
          ]}
        />
      )}
      {call.task === null ? null : (
        <FactsCard
          title={words.task}
          of={[
            [
              "Id",
              call.account === undefined ? (
                <Link to="/tasks" search={{ task: call.task.id }} children={<code>{call.task.id}</code>} />
              ) : (
                <code>{call.task.id}</code>
              )
            ],
            ["Status", call.task.status]
          ]}
        />
      )}
    </>
  )
}
