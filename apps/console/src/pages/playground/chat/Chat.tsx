import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react"
import { Button, Copy } from "../../../ui/kit.tsx"
import { TextField } from "../../../ui/form.tsx"
import { Markdown } from "../../../ui/markdown/Markdown.tsx"
import { answerText, conversationOf } from "../conversation.ts"
import { type Arguments, getIn, keyOf, parseNumber, setIn } from "../json.ts"
import type { Draft } from "../state/Draft.ts"
import type { Run } from "../state/Run.ts"
import styles from "./chat.module.css"

interface MessageProps {
  readonly role: "user" | "model"
  readonly text: string
  /** Of the run that writes it. */
  readonly state?: Run["state"] | undefined
  /** It ended at the most tokens. */
  readonly isCutOff?: boolean
}

/** A message longer than this is cut in view. */
const shownLength = 20_000

const Message = ({ isCutOff = false, role, state, text }: MessageProps) => (
  <div className={styles["message"]} data-role={role} data-state={state}>
    <span className="quiet">{role === "user" ? "You" : "Model"}: </span>
    {role === "user" ? text.slice(0, shownLength) : <Markdown text={text.slice(0, shownLength)} />}
    {text.length > shownLength ? "…" : null}
    {role === "user" || text === "" || state === "running" ? null : <Copy text={text} />}
    {state === "running" ? <span className={styles["cursor"]} aria-hidden="true" /> : null}
    {state === "failed" ? <em>{text === "" ? "No answer arrived." : "The answer was cut here."}</em> : null}
    {isCutOff ? <em>Cut off at max tokens.</em> : null}
    {state === "stopped" ? <em>Stopped here.</em> : null}
  </div>
)

export interface ChatProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly run: Run | undefined
  readonly edit: (change: Partial<Draft>) => void
  readonly onSend: (event: FormEvent | KeyboardEvent) => void
}

const answerOf = ({ text, value }: Run): string => (text === "" ? answerText(value) : text)

const textIn = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** The arguments as a conversation. The message that is being written is a part of them, so that its price is quoted. */
export const Chat = ({ draft, edit, onSend, operation, run }: ChatProps) => {
  const log = useRef<HTMLDivElement>(null)
  const conversation = conversationOf(operation)
  const given = draft.arguments
  const turns = conversation?.turns(given) ?? []
  // The answer to the message that is still in the field: it runs, or it was cut.
  const answering = run !== undefined && run.arguments === given ? run : undefined
  const arrived = answering === undefined ? 0 : answering.text.length
  useEffect(() => {
    const box = log.current
    if (box !== null) box.scrollTop = box.scrollHeight
  }, [turns.length, arrived])
  if (conversation === undefined) return null
  // The last message of the model, if it is the answer of the last run.
  const answered =
    run === undefined ||
    run.state === "running" ||
    turns.at(-1)?.role !== "model" ||
    turns.at(-1)?.text !== answerOf(run)
      ? undefined
      : turns.length - 1
  const isEmpty = turns.length === 0 && answering === undefined
  const isAnswering = answering?.state === "running"
  const set = (next: Arguments) => edit({ arguments: next, text: undefined, texts: {} })
  const next = conversation.next(given)
  const most = draft.texts[keyOf(conversation.maxTokens)]
  const setMost = (text: string): void => {
    const { [keyOf(conversation.maxTokens)]: _, ...texts } = draft.texts
    const parsed = parseNumber(text, true)
    if (text === "") edit({ arguments: setIn(given, conversation.maxTokens, undefined), text: undefined, texts })
    else if ("value" in parsed)
      edit({ arguments: setIn(given, conversation.maxTokens, parsed.value), text: undefined, texts })
    else edit({ texts: { ...texts, [keyOf(conversation.maxTokens)]: { text, problem: parsed.problem } } })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isSend = event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey
    if (isSend && !event.nativeEvent.isComposing) onSend(event)
  }
  return (
    <div className={styles["chat"]}>
      <div className={styles["settings"]}>
        <TextField
          label="Model"
          spellCheck={false}
          suggestions={operation.models}
          value={textIn(getIn(given, conversation.model))}
          onChange={(model) => set(setIn(given, conversation.model, model))}
        />
        <TextField
          label="Max tokens"
          error={most?.problem}
          inputMode="numeric"
          value={most?.text ?? textIn(getIn(given, conversation.maxTokens))}
          onChange={setMost}
        />
        <TextField
          label="System"
          placeholder="How to answer"
          value={conversation.system(given)}
          onChange={(text) => set(conversation.withSystem(given, text))}
        />
      </div>
      <div ref={log} className={styles["turns"]} data-empty={isEmpty} role="log" aria-label="Conversation" tabIndex={0}>
        {isEmpty ? <p className={styles["nothing"]}>Your conversation appears here.</p> : null}
        {turns.map((turn, at) => (
          <Message
            key={at}
            role={turn.role}
            text={turn.text ?? "(not text)"}
            isCutOff={at === answered && run?.isCutOff === true}
            state={at === answered && run?.state === "stopped" ? "stopped" : undefined}
          />
        ))}
        {answering === undefined ? null : (
          <>
            <Message role="user" text={next} />
            <Message role="model" text={answerOf(answering)} isCutOff={answering.isCutOff} state={answering.state} />
          </>
        )}
      </div>
      <div className={styles["compose"]}>
        <textarea
          aria-label="Message"
          rows={2}
          placeholder={isAnswering ? "Wait for the answer" : "Write a message"}
          readOnly={isAnswering}
          value={isAnswering ? "" : next}
          onKeyDown={onKeyDown}
          onChange={({ target }) => set(conversation.withNext(given, target.value))}
        />
        {turns.length === 0 ? null : (
          <Button kind="quiet" onClick={() => set(conversation.cleared(given))}>
            Start over
          </Button>
        )}
      </div>
    </div>
  )
}
