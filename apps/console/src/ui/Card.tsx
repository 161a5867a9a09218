import { type ReactNode, useId } from "react"

export interface CardProps {
  readonly title?: ReactNode
  /** Beside the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
  readonly flush?: boolean
}

/** A region with a title. `flush`: its content reaches its edges. */
export const Card = ({ action, children, flush = false, title }: CardProps) => {
  const id = useId()
  return (
    <section className={flush ? "card flush" : "card"} aria-labelledby={title === undefined ? undefined : id}>
      {title === undefined ? null : (
        <header>
          <h2 id={id}>{title}</h2>
          {action}
        </header>
      )}
      {children}
    </section>
  )
}
