import styles from "./form.module.css"

/** The name of an argument, and whether it must be there. */
export const Label = ({ name, required }: { readonly name: string; readonly required: boolean }) => (
  <>
    <code className={styles["name"]}>{name}</code>
    {required ? <span className={styles["required"]}>required</span> : null}
  </>
)
