import { useRef } from "react"
import classes from "./Menu.module.css"

export interface MenuProps<Id extends string> {
  readonly label: string
  readonly options: ReadonlyArray<readonly [id: Id, label: string]>
  readonly onChoose: (id: Id) => void
}

/** A button with a few actions below it. */
export const Menu = <Id extends string>({ label, onChoose, options }: MenuProps<Id>) => {
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (menu.current !== null) menu.current.open = false
  }
  return (
    <details
      ref={menu}
      className={classes["menu"]}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) close()
      }}
      onKeyDown={({ key }) => {
        if (key !== "Escape") return
        close()
        menu.current?.querySelector("summary")?.focus()
      }}
    >
      <summary className="button">{label}</summary>
      <div>
        {options.map(([id, text]) => (
          <button
            key={id}
            type="button"
            onClick={() => {
              close()
              onChoose(id)
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </details>
  )
}
