/* Of PyTorch what kernels take by value: an array's place, its sizes, and its strides in elements.
 */
#pragma once
namespace at
{
template <typename T> struct DefaultPtrTraits {
    typedef T *PtrType;
};
template <typename T> struct RestrictPtrTraits {
    typedef T *__restrict__ PtrType;
};

template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename index_t = long long>
struct TensorAccessor {
    typedef typename Traits<T>::PtrType PtrType;
    PtrType data_;
    const index_t *sizes_;
    const index_t *strides_;
    __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides)
    {
    }
    __host__ __device__ index_t size(index_t i) const
    {
        return sizes_[i];
    }
    __host__ __device__ index_t stride(index_t i) const
    {
        return strides_[i];
    }
    __host__ __device__ PtrType data() const
    {
        return data_;
    }
    __host__ __device__ TensorAccessor<T, N - 1, Traits, index_t> operator[](index_t i) const
    {
        return TensorAccessor<T, N - 1, Traits, index_t>(data_ + strides_[0] * i, sizes_ + 1,
                                                         strides_ + 1);
    }
};
template <typename T, template <typename> class Traits, typename index_t>
struct TensorAccessor<T, 1, Traits, index_t> {
    typedef typename Traits<T>::PtrType PtrType;
    PtrType data_;
    const index_t *sizes_;
    const index_t *strides_;
    __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides)
    {
    }
    __host__ __device__ index_t size(index_t i) const
    {
        return sizes_[i];
    }
    __host__ __device__ index_t stride(index_t i) const
    {
        return strides_[i];
    }
    __host__ __device__ PtrType data() const
    {
        return data_;
    }
    __host__ __device__ T &operator[](index_t i) const
    {
        return data_[strides_[0] * i];
    }
};

template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename index_t = long long>
struct GenericPackedTensorAccessor {
    typedef typename Traits<T>::PtrType PtrType;
    PtrType data_;
    index_t sizes_[N];
    index_t strides_[N];
    __host__ __device__ index_t size(index_t i) const
    {
        return sizes_[i];
    }
    __host__ __device__ index_t stride(index_t i) const
    {
        return strides_[i];
    }
    __host__ __device__ PtrType data() const
    {
        return data_;
    }
    __device__ TensorAccessor<T, N - 1, Traits, index_t> operator[](index_t i) const
    {
        return TensorAccessor<T, N - 1, Traits, index_t>(data_ + strides_[0] * i, sizes_ + 1,
                                                         strides_ + 1);
    }
};
template <typename T, template <typename> class Traits, typename index_t>
struct GenericPackedTensorAccessor<T, 1, Traits, index_t> {
    typedef typename Traits<T>::PtrType PtrType;
    PtrType data_;
    index_t sizes_[1];
    index_t strides_[1];
    __host__ __device__ index_t size(index_t i) const
    {
        return sizes_[i];
    }
    __host__ __device__ index_t stride(index_t i) const
    {
        return strides_[i];
    }
    __host__ __device__ PtrType data() const
    {
        return data_;
    }
    __device__ T &operator[](index_t i) const
    {
        return data_[strides_[0] * i];
    }
};

template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int>;
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, long long>;
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename index_t = long long>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, index_t>;
} // namespace at
namespace torch
{
using namespace at;
}
