import { fullTime } from "../../ui/times.ts"
import classes from "./call.module.css"
import type { StoryEvent } from "./story.ts"

export const Timeline = ({ events }: { readonly events: ReadonlyArray<StoryEvent> }) => (
  <ol className={classes["timeline"]}>
    {events.map(({ at, kind, text, title }, i) => (
      <li key={i} className={kind === undefined ? "" : classes[kind]}>
        <p>
          <strong>{title}</strong>
          {at === undefined ? null : <time dateTime={at}>{fullTime(at)}</time>}
        </p>
        {text === undefined || text === "" ? null : <p className="soft">{text}</p>}
      </li>
    ))}
  </ol>
)
