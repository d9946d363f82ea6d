// Words with dashes, such as --fail-under, are searched as they are indexed: without the dashes, which mean "not" in a query.
const field = document.querySelector(".md-search__input")
const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")
Object.defineProperty(field, "value", { get() { return get.call(this).replaceAll("-", " ") }, set })
