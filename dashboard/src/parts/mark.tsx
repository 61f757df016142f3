/** The product's icon and name. */
export function Mark() {
  return (
    <span className="mark">
      <img src="/icon.svg" alt="" width={28} height={28} /> Recognition and rewards
    </span>
  );
}
