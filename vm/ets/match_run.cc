#include "term/atom.h"
#include "term/map.h"
#include "term/order.h"
#include "vm/ets/match_spec.h"

namespace wb {
using match::Code;
using match::Insn;

Matcher::Matcher(const MatchSpec& spec, const match::Context& context)
    : spec_(spec),
      context_(context),
      variables_(room(spec.max_variables() + spec.max_work() + spec.max_operands())),
      work_(variables_ + spec.max_variables()),
      operands_end_(work_ + spec.max_work() + spec.max_operands()) {}

Term* Matcher::room(uint32_t words) {
  if (words <= std::size(few_)) return few_;
  many_ = std::make_unique_for_overwrite<Term[]>(words);
  return many_.get();
}

bool Matcher::match_head(const match::Clause& clause, Term root) {
  Term* top = work_;
  *top++ = root;
  const Insn* const end = spec_.code() + clause.guards;
  for (const Insn* at = spec_.code() + clause.head; at != end; ++at) {
    const Insn& i = *at;
    switch (i.code) {
      case Code::object:
        if (!is_tuple_of(root, i.n)) return false;
        break;
      case Code::element_is:
        if (boxed_ptr(root)[i.n] != i.w) return false;
        break;
      case Code::element_constant:
        if (!equal_exact(boxed_ptr(root)[i.n], i.w)) return false;
        break;
      case Code::element_bind:
        variables_[i.w] = boxed_ptr(root)[i.n];
        break;
      case Code::element_same:
        if (!equal_exact(variables_[i.w], boxed_ptr(root)[i.n])) return false;
        break;
      case Code::element:
        *top++ = boxed_ptr(root)[i.n];
        break;
      case Code::skip:
        --top;
        break;
      case Code::drop:
        --top;
        break;
      case Code::bind:
        variables_[i.n] = *--top;
        break;
      case Code::same:
        if (!equal_exact(variables_[i.n], *--top)) return false;
        break;
      case Code::immediate:
        if (*--top != i.w) return false;
        break;
      case Code::constant:
        if (!equal_exact(*--top, i.w)) return false;
        break;
      case Code::tuple: {
        Term t = *--top;
        if (!is_tuple_of(t, i.n)) return false;
        const Term* e = tuple_elements(t);
        for (uint32_t k = i.n; k-- > 0;) *top++ = e[k];
        break;
      }
      case Code::cons: {
        Term t = *--top;
        if (!is_cons(t)) return false;
        *top++ = tail(t);
        *top++ = head(t);
        break;
      }
      case Code::map:
        if (!is_map(top[-1])) return false;
        break;
      case Code::map_value: {
        Term v = map_get(top[-1], i.w);
        if (v == kNone) return false;
        *top++ = v;
        break;
      }
      default:
        WB_CHECK(!"no head instruction");
    }
  }
  return true;
}

Term Matcher::bindings(Heap& h, bool copy) {
  Term list = kNil;
  for (uint32_t i = clause_->variables; i-- > 0;)
    list = cons(h, copy ? copied(variables_[i]) : variables_[i], list);
  return list;
}

namespace {

bool is_accepted(uint32_t n, Term value, Term constant) {
  int order;
  if (are_small(value, constant))
    order = small_value(value) < small_value(constant) ? -1 : value != constant;
  else
    order = compare(value, constant);
  const match::Accepts which = order < 0   ? match::kLess
                               : order > 0 ? match::kGreater
                                           : match::kEqual;
  return n & which;
}

}  // namespace

/// The code from `from` on, before `to`.
Term Matcher::evaluate(uint32_t from, uint32_t to, bool guard) {
  const Insn* const code = spec_.code();
  Term* sp = operands_end_;
  for (size_t pc = from; pc < to; ++pc) {
    const Insn& i = code[pc];
    Heap& h = i.out ? *out_ : scratch_;
    Term value;
    switch (i.code) {
      case Code::push:
        *--sp = i.out && is_pointer(i.w) ? copy_term_deep(*out_, i.w) : i.w;
        continue;
      case Code::push_variable:
        *--sp = i.out ? copied(variables_[i.n]) : variables_[i.n];
        continue;
      case Code::push_object:
        *--sp = !i.out ? term_ : copy_ && object_ ? copy_object(*out_, object_) : copied(term_);
        continue;
      case Code::push_bindings:
        *--sp = bindings(h, i.out);
        continue;
      case Code::make_tuple: {
        Term* e;
        value = new_tuple(h, i.n, &e);
        for (uint32_t k = 0; k < i.n; ++k) e[k] = sp[k];
        sp += i.n;
        *--sp = value;
        continue;
      }
      case Code::make_cons:
        value = cons(h, sp[1], sp[0]);
        *++sp = value;
        continue;
      case Code::make_map:
        value = map_from_pairs(h, sp, i.n);
        sp += size_t{2} * i.n;
        *--sp = value;
        continue;
      case Code::call:
        value = reinterpret_cast<match::Function>(i.w)(context_, scratch_, sp);
        sp += i.n;
        if (is_value(value) && i.out && is_pointer(value)) value = copy_term_deep(*out_, value);
        break;
      case Code::all_true:
      case Code::any_true: {
        const bool any = i.code == Code::any_true;
        bool result = !any;
        bool booleans = true;
        for (uint32_t k = 0; k < i.n; ++k) {
          if (sp[k] == am::true_)
            result = any ? true : result;
          else if (sp[k] == am::false_)
            result = any ? result : false;
          else
            booleans = false;
        }
        sp += i.n;
        value = booleans ? make_bool(result) : kBadarg;
        break;
      }
      case Code::jump_unless_true:
      case Code::jump_unless_false: {
        // andalso goes on after `true`, orelse after `false`; the other boolean is the result.
        const Term go_on = i.code == Code::jump_unless_true ? am::true_ : am::false_;
        const Term stop = go_on == am::true_ ? am::false_ : am::true_;
        value = *sp++;
        if (value == go_on) continue;
        pc = i.n - 1;
        if (value != stop) value = kBadarg;
        break;
      }
      case Code::test:
        if (*sp++ != am::true_) return kNone;
        continue;
      case Code::test_order:
        if (!is_accepted(i.n, variables_[i.n >> match::kAcceptBits], i.w)) return kNone;
        continue;
      case Code::test_same:
        if (equal_exact(variables_[i.n >> 1], i.w) != (i.n & 1)) return kNone;
        continue;
      case Code::pop:
        ++sp;
        continue;
      case Code::result:
        return *sp;
      default:
        WB_CHECK(!"no expression instruction");
    }
    if (is_fault(value)) {
      if (guard) return kNone;
      value = am::EXIT;
    }
    *--sp = value;
  }
  return am::true_;
}

Term Matcher::run(Term t, Heap& out, bool copy, const TableObject* object) {
  for (const match::Clause& clause : spec_.clauses()) {
    if (!match_head(clause, t)) continue;
    out_ = &out;
    context_.out = &out;
    copy_ = copy;
    term_ = t;
    object_ = object;
    clause_ = &clause;
    Term result = kNone;
    if (clause.guards == clause.body || evaluate(clause.guards, clause.body, true) != kNone)
      result = evaluate(clause.body, clause.end, false);
    // Without copying, the result may be made of scratch terms only by way of `out`, never of ours.
    scratch_.reset();
    if (result != kNone) return result;
  }
  return kNone;
}

bool Matcher::is_true(Term t) {
  const bool yes = run(t, made_, false) == am::true_;
  made_.reset();
  return yes;
}

}  // namespace wb
